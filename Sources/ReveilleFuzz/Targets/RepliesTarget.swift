// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// Checks that a client receives replies in the order of its calls, and that valid events survive encoding.
enum RepliesTarget {
    private static let longestMessage = 4_096

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        var session = ClientSession(maximumFrame: longestMessage)
        _ = session.call(Call(.getState(.default)))
        _ = session.call(Call(.subscribe(SubscriptionRequest())))
        session.receive(bytes.span)
        var replies = 0
        while let reply = try next(in: &session) {
            replies += 1
            try require(replies == 1 || session.pendingCount <= 1, "the first reply ends the first call")
            try requireEqual(
                try? Reply(parsing: Array(reply.encoded().dropLast())), reply, "a reply after encoding")
            if reply.error == nil { try FuzzedBus.checkEvents(reply.parameters["events"] ?? .null) }
        }
    }

    private static func next(in session: inout ClientSession) throws(Falsified) -> Reply? {
        do {
            return try session.nextReply()
        } catch let error {
            do {
                _ = try session.nextReply()
            } catch let again {
                try requireEqual(again, error, "the error after an error")
                return nil
            }
            throw Falsified("a reply was taken after an error")
        }
    }
}
