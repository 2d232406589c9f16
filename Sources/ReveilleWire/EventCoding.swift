// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Events as the interface's structure `Event`.
package enum EventCoding {
    /// Encodes an event; the fields of all other aspects are absent, which means null.
    package static func encode(_ event: Event) -> JSON {
        [
            "aspect": .string(event.aspect.name),
            "generation": .integer(Int64(event.generation)),
            "sequence": .integer(Int64(event.sequence)),
            "changes": .integer(Int64(event.changes)),
            "netChange": .bool(event.netChange),
            "firstChangedAt": .integer(event.firstChangedAt.microseconds),
            "changedAt": .integer(event.changedAt.microseconds),
            "dropped": .integer(Int64(event.dropped)),
            ReadingCoding.field(of: event.aspect): ReadingCoding.encode(event.reading, settings: event.settings),
        ]
    }

    /// Appends an event as JSON text, with the bytes of ``encode(_:)``.
    ///
    /// The service writes an event for each change, so the fields are written without creating values first, and a
    /// published value is copied without being parsed.
    static func write(_ event: Event, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"aspect":"#.utf8)
        JSON.writeString(event.aspect.name, into: &bytes)
        write(Int64(event.generation), after: #","generation":"#, into: &bytes)
        write(Int64(event.sequence), after: #","sequence":"#, into: &bytes)
        write(Int64(event.changes), after: #","changes":"#, into: &bytes)
        bytes.append(contentsOf: (event.netChange ? #","netChange":true"# : #","netChange":false"#).utf8)
        write(event.firstChangedAt.microseconds, after: #","firstChangedAt":"#, into: &bytes)
        write(event.changedAt.microseconds, after: #","changedAt":"#, into: &bytes)
        write(Int64(event.dropped), after: #","dropped":"#, into: &bytes)
        bytes.append(UInt8(ascii: ","))
        JSON.writeString(ReadingCoding.field(of: event.aspect), into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if case .published(let value) = event.reading, let text = value.bytes {
            bytes.append(contentsOf: text)
        } else {
            ReadingCoding.encode(event.reading, settings: event.settings).write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func write(_ value: Int64, after field: String, into bytes: inout [UInt8]) {
        bytes.append(contentsOf: field.utf8)
        JSON.writeInteger(value, into: &bytes)
    }

    /// Decodes an event of this version's interface.
    ///
    /// - Parameter structure: An element of a reply's `events`; unknown fields are ignored.
    /// - Returns: The event; of settings only the keys are known, not their values.
    /// - Throws: `InvalidParameter` with the field that the interface does not allow.
    package static func decode(_ structure: JSON) throws(CallError) -> Event {
        let fields = Fields(structure, path: "events")
        guard let event = try Event(fields) else { throw fields.invalid("aspect") }
        return event
    }
}

extension Event: ReplyElement {
    package static var list: String { "events" }

    package init?(_ fields: Fields) throws(CallError) {
        guard let aspect: Aspect = try fields.requiredName("aspect") else { return nil }
        let state = try fields.state(of: aspect)
        self.init(
            reading: try ReadingCoding.decode(state, of: aspect, noting: fields.unknownWords),
            generation: try fields.count("generation"), sequence: try fields.count("sequence"),
            changes: try fields.count("changes"), netChange: try fields.bool("netChange"),
            firstChangedAt: Timestamp(microseconds: Int64(try fields.integer("firstChangedAt"))),
            changedAt: Timestamp(microseconds: Int64(try fields.integer("changedAt"))),
            dropped: try fields.count("dropped"))
    }

    package var structure: JSON { EventCoding.encode(self) }
}
