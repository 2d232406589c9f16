// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Readings as the structures of the interface.
package enum ReadingCoding {
    /// Encodes a reading; of the settings, only the given keys are listed, or all for `nil`.
    package static func encode(_ reading: Reading, settings: [SettingsChange]? = nil) -> JSON {
        var fields: JSONObject = [:]
        write(reading, settings: settings ?? reading.settings, to: &fields)
        return fields.members.first?.value ?? .null
    }

    static func write(
        _ reading: Reading, settings: [SettingsChange], to fields: inout (some FieldWriter & ~Copyable & ~Escapable)
    ) {
        if case .published(let value) = reading { return fields.add(.value, value) }
        reading.code(settings: settings, with: &fields)
    }

    /// Decodes a reading; unknown words are errors unless they are collected, and then read as `unknown`.
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
