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

    /// The number of aspects of which events are kept; beyond it, all are discarded.
    private static let aspectLimit = 1_024

    private var written: [Aspect: Written] = [:]

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
        if let known = written[aspect], known.generation == event.generation, let bytesOfEvent = known.events[key] {
            bytes += bytesOfEvent
            return
        }
        let start = bytes.count
        EventCoding.encode(event).write(into: &bytes)
        keep(Array(bytes[start...]), as: key, of: event)
    }

    private mutating func keep(_ bytes: [UInt8], as key: Key, of event: Event) {
        if written.count >= Self.aspectLimit, written[event.aspect] == nil { written.removeAll() }
        var events = written.removeValue(forKey: event.aspect) ?? Written()
        if events.generation != event.generation || events.events.count >= Self.limit
            || bytes.count > Self.largeSize
        {
            events = Written(generation: event.generation)
        }
        events.events[key] = bytes
        written[event.aspect] = events
    }
}
