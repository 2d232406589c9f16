// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Writes replies with events; an event that is equal for many subscribers is encoded once.
///
/// Events are equal if their generations and counts are. Waking many subscribers that slept equally long encodes each
/// event once.
package struct EventWriter {
    private struct Key: Hashable {
        let changes: Int
        let netChange: Bool
        let firstChangedAt: Timestamp
        let dropped: Int
    }

    private struct Written {
        var generation = -1
        var events: [Key: [UInt8]] = [:]
    }

    /// The number of different events of one state that are kept.
    ///
    /// Subscribers that slept since different generations get different events. Beyond this number, encoding one again
    /// costs less than keeping all.
    private static let limit = 64

    /// The size in bytes above which an event is kept alone: settings can be long.
    private static let largeSize = 16_384

    private var written = AspectTable<Written>(repeating: Written())

    /// Creates a writer that has written nothing.
    package init() {}

    /// Returns the bytes of a reply's parameters: a head, and after it the events.
    package mutating func write(_ events: [Event], after head: JSONObject = [:]) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in head.members {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
            JSON.string(member.name).write(into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(into: &bytes)
        }
        bytes += (bytes.isEmpty ? #"{"events":["# : #","events":["#).utf8
        for (index, event) in events.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(event, to: &bytes)
        }
        bytes += "]}".utf8
        return bytes
    }

    private mutating func append(_ event: Event, to bytes: inout [UInt8]) {
        let aspect = event.aspect
        let key = Key(
            changes: event.changes, netChange: event.netChange, firstChangedAt: event.firstChangedAt,
            dropped: event.dropped)
        if written[aspect].generation != event.generation || written[aspect].events.count >= Self.limit {
            written[aspect] = Written(generation: event.generation)
        }
        if let known = written[aspect].events[key] {
            bytes += known
            return
        }
        let start = bytes.count
        EventCoding.encode(event).write(into: &bytes)
        if bytes.count - start > Self.largeSize { written[aspect].events.removeAll() }
        written[aspect].events[key] = Array(bytes[start...])
    }
}
