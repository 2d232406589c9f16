// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// Checks that a message is either a call or an error, that each call is answered once, and that a connection ends at
/// its first error.
enum CallsTarget {
    private static let longestMessage = 4_096
    private static let methods = BusMethods()

    static func check(_ bytes: [UInt8]) throws(Falsified) {
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
                try checkEnd(of: &session, error)
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
    ) throws(Falsified) {
        try requireEqual(try? Call(parsing: Array(call.encoded().dropLast())), call, "a call after encoding")
        try require(session.isAnswering && (try? session.nextCall()) == .some(nil), "one call at a time")
        let result: Result<Reply, CallError>
        do throws(CallError) {
            switch try methods.resolve(call, history: FuzzedBus.history) {
            case .reply(let reply): result = .success(reply)
            case .call(let call): result = .success(Reply(parameters: try bus.carryOut(call)))
            }
        } catch {
            result = .failure(error)
        }
        try bus.check()
        let (bytes, reply) =
            switch result {
            case .success(let reply): (session.reply(reply.parameters), reply)
            case .failure(let error): (session.fail(error), Reply(error))
            }
        try require(!session.isAnswering, "a call ends with its reply")
        guard call.mode != .oneway else { return try requireEqual(bytes, [], "the reply to a oneway call") }
        try requireEqual(bytes.firstIndex(of: 0), bytes.count - 1, "the position of the NUL in a reply")
        try requireEqual(try? Reply(parsing: Array(bytes.dropLast())), reply, "a reply after encoding")
    }

    private static func checkEnd(of session: inout ServerSession, _ error: VarlinkError) throws(Falsified) {
        session.receive(Call.fence.encoded().span)
        do {
            _ = try session.nextCall()
        } catch let again {
            return try requireEqual(again, error, "the error after an error")
        }
        throw Falsified("a call was taken after an error")
    }

    /// Checks that no tied state is left, and that a bus continues from the rest.
    private static func checkEnd(of bus: inout FuzzedBus) throws(Falsified) {
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
