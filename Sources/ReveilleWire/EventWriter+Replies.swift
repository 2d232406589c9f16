// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// Replies with events as the bytes of their parameters: equal to ``BusReply/parameters``, but each event is encoded
/// once for all subscribers.
extension EventWriter {
    /// Returns the parameters of the first reply to a Subscribe.
    package mutating func write(_ reply: SubscribeReply) -> [UInt8] {
        var bytes = Array(#"{"subscription":"#.utf8)
        JSON.string(reply.subscription).write(into: &bytes)
        bytes += #","instance":"#.utf8
        JSON.string(reply.instance).write(into: &bytes)
        if let resumed = reply.resumed { bytes += (resumed ? #","resumed":true"# : #","resumed":false"#).utf8 }
        bytes += #","events":"#.utf8
        append(reply.events, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Returns the parameters of a later reply to a Subscribe.
    package mutating func write(_ reply: EventsReply) -> [UInt8] {
        var bytes = Array(#"{"events":"#.utf8)
        append(reply.events, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Returns the parameters of the reply to a GetState.
    package mutating func write(_ reply: GetStateReply) -> [UInt8] {
        var bytes = Array(#"{"instance":"#.utf8)
        JSON.string(reply.instance).write(into: &bytes)
        bytes += #","events":"#.utf8
        append(reply.events, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
