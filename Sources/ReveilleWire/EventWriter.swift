// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
import Varlink

/// Writes events, each that is equal for many subscribers once.
///
/// An event is told apart by its position in its log and by what it counts, so waking ten thousand who
/// slept equally long writes each event once.
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

    /// How many different events of one state are kept.
    ///
    /// Subscribers that slept since different generations get different events; past this many, writing
    /// one anew costs less than keeping all.
    private static let limit = 64

    /// From this size on, in bytes, an event is kept alone: settings can be long.
    private static let largeSize = 16_384

    private var written = AspectTable<Written>(repeating: Written())

    /// Makes a writer that has written nothing.
    package init() {}

    /// Appends a list of events as a JSON array.
    package mutating func append(_ events: [Event], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, event) in events.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(event, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
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
