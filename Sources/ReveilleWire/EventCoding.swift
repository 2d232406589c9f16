// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Events as the interface's structure `Event`.
package enum EventCoding {
    /// The structure of an event; the fields of all other aspects are absent, which means null.
    package static func encode(_ event: Event) -> JSON {
        .object([
            "aspect": .string(event.aspect.rawValue),
            "generation": .integer(Int64(event.generation)),
            "sequence": .integer(Int64(event.sequence)),
            "changes": .integer(Int64(event.changes)),
            "netChange": .bool(event.netChange),
            "firstChangedAt": .integer(event.firstChangedAt.microseconds),
            "changedAt": .integer(event.changedAt.microseconds),
            "dropped": .integer(Int64(event.dropped)),
            event.aspect.rawValue: ReadingCoding.encode(event.reading, settings: event.settings),
        ])
    }

    /// The event that a structure says.
    ///
    /// - Parameter structure: An element of a reply's `events`; fields that are not known are passed over.
    /// - Returns: The event; of the settings only the keys that it names are known, not their values.
    /// - Throws: `InvalidParameter` naming the field that the interface does not allow.
    package static func decode(_ structure: JSON) throws(CallError) -> Event {
        let fields = Fields(structure, path: "events")
        return try decode(fields, of: try fields.word("aspect"), noting: nil)
    }

    /// The events of a reply, of a bus that may be newer than this program.
    ///
    /// - Parameters:
    ///   - parameters: The reply's.
    ///   - unknownWords: Takes the words that are not known. An event of an aspect that is not known is passed over;
    ///     in a reading such a word reads as `unknown`.
    /// - Returns: The events of aspects that are known.
    /// - Throws: `InvalidParameter` naming the field that is not of the interface's shape.
    package static func decodeAll(
        _ parameters: JSONObject, noting unknownWords: UnknownWords
    ) throws(CallError) -> [Event] {
        var events: [Event] = []
        for fields in try Fields(parameters).structures("events", noting: unknownWords) {
            guard let aspect: Aspect = try fields.requiredWord("aspect") else { continue }
            events.append(try decode(fields, of: aspect, noting: unknownWords))
        }
        return events
    }

    private static func decode(
        _ fields: Fields, of aspect: Aspect, noting unknownWords: UnknownWords?
    ) throws(CallError) -> Event {
        let state = try fields.required(aspect.rawValue) { $0.objectValue == nil ? nil : $0 }
        let reading = try ReadingCoding.decode(state, of: aspect, noting: unknownWords)
        return Event(
            reading: reading, generation: try fields.count("generation"), sequence: try fields.count("sequence"),
            changes: try fields.count("changes"), netChange: try fields.bool("netChange"),
            firstChangedAt: Timestamp(microseconds: Int64(try fields.integer("firstChangedAt"))),
            changedAt: Timestamp(microseconds: Int64(try fields.integer("changedAt"))),
            dropped: try fields.count("dropped"))
    }
}
