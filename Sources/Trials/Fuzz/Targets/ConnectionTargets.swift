// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// Checks that a message is either a call or an error, that each call is answered once, and that a connection ends at
/// its first error.
enum CallsTarget {
    private static let longestMessage = 4_096
    private static let description = ServiceDescription.bus()
    private static let methods = description.busMethods

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var session = ServerSession(maximumFrame: longestMessage)
        var decoder = FrameDecoder(maximumLength: longestMessage)
        var bus = FuzzedBus()
        session.receive(bytes.span)
        decoder.feed(bytes.span)
        while true {
            let frame = try? decoder.nextFrame()
            let expected = frame.flatMap { try? Call(parsing: $0) }
            let call: Call?
            do {
                call = try session.nextCall()
            } catch {
                try requireEqual(nil, expected, "the call in a message with an error")
                session.receive(Call.fence.encoded().span)
                let again = failure { () throws(VarlinkError) in _ = try session.nextCall() }
                try requireEqual(again, error, "the error after an error")
                return try checkEnd(of: &bus)
            }
            try requireEqual(call, expected, "a session's call and the one in its message")
            guard let call else {
                try requireEqual(frame, nil, "the message without a call")
                return try checkEnd(of: &bus)
            }
            try answer(call, in: &session, &bus)
        }
    }

    private static func answer(
        _ call: Call, in session: inout ServerSession, _ bus: inout FuzzedBus
    ) throws(Broken) {
        try requireEqual(try? Call(parsing: Array(call.encoded().dropLast())), call, "a call after encoding")
        try require(session.isAnswering && (try? session.nextCall()) == .some(nil), "one call at a time")
        let (bytes, reply): ([UInt8], Reply)
        do throws(CallError) {
            switch try description.resolve(call) {
            case .reply(let ready): reply = ready
            case .method(let position):
                let method = try methods[position].decode(
                    call, at: position, of: description, history: FuzzedBus.history)
                reply = Reply(parameters: try bus.carryOut(method))
            }
            bytes = session.reply(reply.parameters)
        } catch {
            (bytes, reply) = (session.fail(error), Reply(error))
        }
        try bus.check()
        try require(!session.isAnswering, "a call ends with its reply")
        guard call.mode != .oneway else { return try requireEqual(bytes, [], "the reply to a oneway call") }
        try requireEqual(bytes.firstIndex(of: 0), bytes.count - 1, "the position of the NUL in a reply")
        try requireEqual(try? Reply(parsing: Array(bytes.dropLast())), reply, "a reply after encoding")
    }

    /// Checks that no tied state is left, and that a bus continues from the rest.
    private static func checkEnd(of bus: inout FuzzedBus) throws(Broken) {
        bus.endConnection()
        try bus.check()
        let state = bus.savedState
        try require(state.entries.allSatisfy { $0.publisher?.connection == nil }, "a tied state ends")
        try requireEqual(StateTarget.saved(state), state, "a state after calls, saved and loaded")
        let names = state.entries.map(\.state.aspect).filter(\.isPublished)
        let kept = Set(state.entries.filter { $0.publisher != nil }.map(\.state.aspect))
        try requireEqual(FuzzedBus(restoring: state).published, kept, "the names \(names) after a restart")
    }
}

/// Checks that a client receives replies in the order of its calls, and that valid events survive encoding.
enum RepliesTarget {
    private static let longestMessage = 4_096

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var session = ClientSession(maximumFrame: longestMessage)
        _ = session.call(Call(GetState(.default)))
        _ = session.call(Call(Subscribe(SubscriptionRequest())))
        session.receive(bytes.span)
        var replies = 0
        while true {
            let reply: Reply?
            do throws(VarlinkError) {
                reply = try session.nextReply()
            } catch {
                let again = failure { () throws(VarlinkError) in _ = try session.nextReply() }
                return try requireEqual(again, error, "the error after an error")
            }
            guard let reply else { return }
            replies += 1
            try require(replies == 1 || session.pendingCount <= 1, "the first reply ends the first call")
            try requireEqual(
                try? Reply(parsing: Array(reply.encoded().dropLast())), reply, "a reply after encoding")
            if reply.error == nil { try FuzzedBus.checkEvents(reply.parameters["events"] ?? .null) }
        }
    }
}
