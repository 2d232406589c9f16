// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

extension EventWriter {
    /// Returns the bytes of the parameters of a reply to GetState or Subscribe: a head, and after it the events.
    mutating func write(_ events: [Event], after head: JSONObject = [:]) -> [UInt8] {
        var events = events.makeIterator()
        var writer = self
        defer { self = writer }
        let reply = ListReply(of: Event.self, after: head) { events.next().map { writer.text(of: $0) } }
        var (frame, isLast) = reply.next()
        while !isLast {
            let piece: [UInt8]
            (piece, isLast) = reply.next()
            frame += piece
        }
        return Array(frame.dropFirst(#"{"parameters":"#.utf8.count).dropLast("}\0".utf8.count))
    }
}
