// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Events as the interface's structure `Event`.
package enum EventCoding {
    /// Encodes an event; the fields of all other aspects are absent, which means null.
    package static func encode(_ event: Event) -> JSON {
        var structure = head(of: event)
        let state = ReadingCoding.encode(event.reading, settings: event.settings)
        structure.members.append(.init(name: ReadingCoding.field(of: event.aspect), value: state))
        return .object(structure)
    }

    /// Appends an event as JSON text; a published value is copied as it is, without being parsed.
    static func write(_ event: Event, into bytes: inout [UInt8]) {
        guard case .published(let value) = event.reading, let text = value.bytes else {
            return encode(event).write(into: &bytes)
        }
        head(of: event).write(into: &bytes)
        bytes.removeLast()
        bytes.append(UInt8(ascii: ","))
        JSON.writeString(PublishedValue.field, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "}"))
    }

    /// The fields of an event before its state.
    private static func head(of event: Event) -> JSONObject {
        [
            "aspect": .string(event.aspect.name),
            "generation": .integer(Int64(event.generation)),
            "sequence": .integer(Int64(event.sequence)),
            "changes": .integer(Int64(event.changes)),
            "netChange": .bool(event.netChange),
            "firstChangedAt": .integer(event.firstChangedAt.microseconds),
            "changedAt": .integer(event.changedAt.microseconds),
            "dropped": .integer(Int64(event.dropped)),
        ]
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
