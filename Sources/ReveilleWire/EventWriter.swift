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

        init(_ event: Event) {
            changes = event.changes
            netChange = event.netChange
            firstChangedAt = event.firstChangedAt
            dropped = event.dropped
        }
    }

    /// Some events of one state.
    private struct Written {
        private(set) var generation = -1
        private(set) var events: [Key: [UInt8]] = [:]

        /// Adds an event, and discards those of an earlier state.
        ///
        /// - Returns: The difference in size.
        @discardableResult
        mutating func keep(_ bytes: [UInt8], as key: Key, of generation: Int) -> Int {
            var difference = bytes.count
            if self.generation != generation || events.count >= EventWriter.limit
                || bytes.count > EventWriter.largeSize
            {
                difference -= events.values.reduce(0) { $0 + $1.count }
                events.removeAll(keepingCapacity: true)
                self.generation = generation
            }
            events[key] = bytes
            return difference
        }
    }

    /// The number of different events of one state that are kept.
    ///
    /// Subscribers that slept since different generations get different events. Beyond this number, encoding one again
    /// costs less than keeping all.
    private static let limit = 64

    /// The size in bytes of most events and of what surrounds them.
    private static let usualSize = 320

    /// The size in bytes above which an event is kept alone: settings can be long.
    private static let largeSize = 16_384

    /// The total size in bytes of the events of published names that are kept; beyond it, all are discarded.
    private static let nameSizeLimit = 4 << 20

    /// The events of the device's aspects, in a table, since they are the most frequent.
    private var written = AspectTable(repeating: Written())
    private var writtenOfName: [Aspect: Written] = [:]
    /// The size of the events in `writtenOfName`.
    private var nameSize = 0
    /// The last reply with a sole event, which most subscribers in the foreground receive.
    private var last: (event: SoleEvent, frame: [UInt8])?

    /// Creates a writer that has written nothing.
    package init() {}

    /// Returns a whole reply of a stream.
    package mutating func frame(_ events: [Event]) -> [UInt8] {
        events.count == 1
            ? Self.frame(of: events[0]) : Reply.encode(parameters: write(events), continues: true)
    }

    /// Returns a whole reply of a stream with a sole event, whose bytes are shared by the subscribers that receive it.
    ///
    /// - Parameters:
    ///   - sole: The event, which must be of the same bus each time.
    ///   - event: Returns the event, if it has to be written.
    /// - Returns: The bytes, as for ``frame(_:)``.
    package mutating func frame(of sole: SoleEvent, _ event: () -> Event) -> [UInt8] {
        if let last, last.event == sole { return last.frame }
        let frame = Self.frame(of: event())
        last = frame.count > Self.largeSize ? nil : (sole, frame)
        return frame
    }

    private static func frame(of event: Event) -> [UInt8] {
        Reply.encode(room: event.room + listRoom, continues: true) { output in
            output.append(listStart)
            output.append(event)
            output.append(listEnd)
        }
    }

    private static var listRoom: Int { 2 * ShortText.room }
    private static let listStart = ShortText(#"{"events":["#)
    private static let listEnd = ShortText("]}")

    /// Returns the bytes of a reply's parameters: a head, and after it the events.
    package mutating func write(_ events: [Event], after head: JSONObject = [:]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualSize * events.count)
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
        let key = Key(event)
        if let known = known(key, of: event) {
            bytes += known
            return
        }
        let start = bytes.count
        event.write(into: &bytes)
        keep(Array(bytes[start...]), as: key, of: event)
    }

    private func known(_ key: Key, of event: Event) -> [UInt8]? {
        let written = event.aspect.builtIn.map { self.written[$0] } ?? writtenOfName[event.aspect]
        return written?.generation == event.generation ? written?.events[key] : nil
    }

    private mutating func keep(_ bytes: [UInt8], as key: Key, of event: Event) {
        if let aspect = event.aspect.builtIn {
            written[aspect].keep(bytes, as: key, of: event.generation)
            return
        }
        if nameSize + bytes.count > Self.nameSizeLimit {
            writtenOfName.removeAll()
            nameSize = 0
        }
        nameSize += writtenOfName[event.aspect, default: Written()].keep(bytes, as: key, of: event.generation)
    }
}
