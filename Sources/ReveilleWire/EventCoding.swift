// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Events as the interface's structure `Event`.
package enum EventCoding {
    /// Encodes an event; the fields of all other aspects are absent, which means null.
    package static func encode(_ event: Event) -> JSON {
        .object([
            "aspect": .string(event.aspect.name),
            "generation": .integer(Int64(event.generation)),
            "sequence": .integer(Int64(event.sequence)),
            "changes": .integer(Int64(event.changes)),
            "netChange": .bool(event.netChange),
            "firstChangedAt": .integer(event.firstChangedAt.microseconds),
            "changedAt": .integer(event.changedAt.microseconds),
            "dropped": .integer(Int64(event.dropped)),
            ReadingCoding.field(of: event.aspect): ReadingCoding.encode(event.reading, settings: event.settings),
        ])
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
