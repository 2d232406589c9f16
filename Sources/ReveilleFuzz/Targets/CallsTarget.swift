// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWire
import Varlink

/// A message is a call or an error, never both; each call is answered once, and the connection goes on until
/// the first error and not beyond it.
enum CallsTarget {
    private static let longestMessage = 4_096
    private static let description = ServiceDescription(
        vendor: "", product: "", version: "", url: "", interfaces: [BusInterface.make()])

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
                try requireEqual(nil, expected, "a session's error, and the call in its message")
                return try checkEnd(of: &session, error)
            }
            try requireEqual(call, expected, "a session's call, and the one in its message")
            guard let call else { return try requireEqual(frame, nil, "no call, and no message") }
            try answer(call, in: &session, &bus)
        }
    }

    private static func answer(
        _ call: Call, in session: inout ServerSession, _ bus: inout FuzzedBus
    ) throws(Falsified) {
        try requireEqual(try? Call(parsing: call.encoded().dropLast()), call, "a call written and read")
        try require(session.isAnswering && (try? session.nextCall()) == .some(nil), "one call at a time")
        let result: Result<Reply, CallError>
        if let answer = description.answer(call) {
            result = answer
        } else {
            do throws(CallError) {
                let method = try BusCall(call, history: FuzzedBus.history)
                result = .success(Reply(parameters: try bus.carryOut(method)))
            } catch {
                result = .failure(error)
            }
            try bus.check()
        }
        let bytes: [UInt8]
        let reply: Reply
        switch result {
        case .success(let success):
            bytes = session.reply(success.parameters)
            reply = success
        case .failure(let error):
            bytes = session.fail(error)
            reply = Reply(error)
        }
        try require(!session.isAnswering, "an answered call is over")
        guard call.mode != .oneway else { return try requireEqual(bytes, [], "nothing is sent for oneway") }
        try requireEqual(bytes.firstIndex(of: 0), bytes.count - 1, "the one NUL of a reply, and its end")
        try requireEqual(try? Reply(parsing: bytes.dropLast()), reply, "a reply written and read")
    }

    private static func checkEnd(of session: inout ServerSession, _ error: VarlinkError) throws(Falsified) {
        session.receive(Call(method: "org.varlink.service.GetInfo").encoded().span)
        do {
            _ = try session.nextCall()
        } catch let again {
            return try requireEqual(again, error, "an error, and the one after it")
        }
        throw Falsified("nothing is taken after an error")
    }
}

extension Call {
    fileprivate init(parsing frame: ArraySlice<UInt8>) throws(VarlinkError) {
        try self.init(parsing: Array(frame))
    }
}

extension Reply {
    fileprivate init(parsing frame: ArraySlice<UInt8>) throws(VarlinkError) {
        try self.init(parsing: Array(frame))
    }
}
