// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Readings as the structures of the interface.
package enum ReadingCoding {
    /// Encodes a reading.
    ///
    /// - Parameters:
    ///   - reading: The state.
    ///   - settings: The keys to list, for a reading of the settings; `nil` for all.
    /// - Returns: The structure, for the field with the aspect's name.
    package static func encode(_ reading: Reading, settings: [SettingsChange]? = nil) -> JSON {
        var fields: JSONObject = [:]
        write(reading, settings: settings ?? reading.settings, to: &fields)
        return fields.members.first?.value ?? .null
    }

    /// Writes the field of an event that has the structure of a reading.
    static func write(
        _ reading: Reading, settings: [SettingsChange], to fields: inout (some FieldWriter & ~Copyable & ~Escapable)
    ) {
        if case .published(let value) = reading { return fields.add(.value, value) }
        reading.code(settings: settings, with: &fields)
    }

    /// Decodes a reading.
    ///
    /// - Parameters:
    ///   - structure: The value of the field with the aspect's name.
    ///   - aspect: The aspect of the structure.
    ///   - unknownWords: Collects unknown words, which read as `unknown`; if it is `nil`, unknown words are errors.
    /// - Returns: The reading.
    /// - Throws: `InvalidParameter` with the path of the field that has a value that the interface does not allow.
    package static func decode(
        _ structure: JSON, of aspect: Aspect, noting unknownWords: UnknownWords? = nil
    ) throws(CallError) -> Reading {
        guard let builtIn = aspect.builtIn else {
            guard structure.isNull || structure.objectValue != nil else {
                throw .invalidParameter("\(FieldName.value)")
            }
            return .published(PublishedValue(aspect, structure.objectValue))
        }
        // A value that is not an object has no fields.
        var fields = Fields(structure.objectValue ?? [:], path: builtIn.rawValue, noting: unknownWords)
        return try fields.record(of: builtIn)
    }
}
