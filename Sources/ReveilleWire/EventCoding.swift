// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import Varlink

/// The interface's structure `Event`; the fields of all other aspects are absent, which means null.
extension Event: ReplyElement, WireStructure {
    package static var list: FieldName { "events" }

    package init?(_ fields: inout Fields) throws(CallError) {
        guard let aspect: Aspect = try fields.requiredName(.aspect), let reading = try fields.reading(of: aspect)
        else { return nil }
        self.init(
            reading: reading,
            generation: try fields.count(.generation), sequence: try fields.count(.sequence),
            changeCount: try fields.count(.changes), isNetChange: try fields.bool(.netChange),
            firstChangedAt: Timestamp(microseconds: Int64(try fields.integer(.firstChangedAt))),
            changedAt: Timestamp(microseconds: Int64(try fields.integer(.changedAt))),
            droppedCount: try fields.count(.dropped))
    }

    /// Decodes an event of this version's interface; of settings only the keys are known, not their values.
    package init(structure: JSON, noting unknownWords: UnknownWords? = nil) throws(CallError) {
        // A value that is not an object has no fields.
        var fields = Fields(structure.objectValue ?? [:], path: "events", noting: unknownWords)
        guard let event = try Event(&fields) else { throw fields.invalid(.aspect) }
        self = event
    }

    @usableFromInline package func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.aspect, aspect.name)
        fields.add(.generation, generation)
        fields.add(.sequence, sequence)
        fields.add(.changes, changeCount)
        fields.add(.netChange, isNetChange)
        fields.add(.firstChangedAt, Int(firstChangedAt.microseconds))
        fields.add(.changedAt, Int(changedAt.microseconds))
        fields.add(.dropped, droppedCount)
        ReadingCoding.write(reading, settings: settings, to: &fields)
    }

    package var structure: JSON { .object(object) }
}
