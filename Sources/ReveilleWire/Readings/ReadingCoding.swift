// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Readings as the structures of the interface.
package enum ReadingCoding {
    /// Encodes a reading.
    ///
    /// - Parameters:
    ///   - reading: The state.
    ///   - settings: The keys to list, for a reading of the settings; `nil` for all.
    /// - Returns: The structure, which stands in the field of the aspect's name.
    package static func encode(_ reading: Reading, settings: [SettingsChange]? = nil) -> JSON {
        var fields: JSONObject = [:]
        write(reading, settings: settings ?? reading.settings, to: &fields)
        return fields["\(field(of: reading.aspect))"] ?? .null
    }

    /// Writes the field of an event that has the structure of a reading.
    static func write(
        _ reading: Reading, settings: [SettingsChange], to fields: inout (some FieldWriter & ~Copyable & ~Escapable)
    ) {
        switch reading {
        case .locale(let locale): fields.add(.locale, locale)
        case .defaults: fields.add(.defaults, ListedSettings(domains: settings))
        case .battery(let battery): fields.add(.battery, battery)
        case .proximity(let proximity): fields.add(.proximity, proximity)
        case .orientation(let orientation): fields.add(.orientation, orientation)
        case .light(let light): fields.add(.light, light)
        case .display(let display): fields.add(.display, display)
        case .network(let network): fields.add(.network, network)
        case .folders(let folders): fields.add(.folders, folders)
        case .motion(let motion): fields.add(.motion, motion)
        case .shake(let shake): fields.add(.shake, shake)
        case .power(let power): fields.add(.power, power)
        case .lifecycle(let lifecycle): fields.add(.lifecycle, lifecycle)
        case .published(let value): fields.add(.value, value)
        }
    }

    /// Returns the field of an event that has the structure of an aspect.
    static func field(of aspect: Aspect) -> FieldName {
        aspect.builtIn.map { field(of: $0) } ?? .value
    }

    /// Returns the field of an event that has the structure of an aspect of the device.
    static func field(of aspect: BuiltInAspect) -> FieldName {
        switch aspect {
        case .locale: .locale
        case .defaults: .defaults
        case .battery: .battery
        case .proximity: .proximity
        case .orientation: .orientation
        case .light: .light
        case .display: .display
        case .network: .network
        case .folders: .folders
        case .motion: .motion
        case .shake: .shake
        case .power: .power
        case .lifecycle: .lifecycle
        }
    }

    /// Decodes a reading.
    ///
    /// - Parameters:
    ///   - structure: The value of the field of the aspect's name.
    ///   - aspect: The aspect that the structure is of.
    ///   - unknownWords: Takes words that are not known, which read as `unknown`; without it they are errors.
    /// - Returns: The reading.
    /// - Throws: `InvalidParameter` with the path of the field that has a value that the interface does not allow.
    package static func decode(
        _ structure: JSON, of aspect: Aspect, noting unknownWords: UnknownWords? = nil
    ) throws(CallError) -> Reading {
        guard let builtIn = aspect.builtIn else {
            guard structure.isNull || structure.objectValue != nil else {
                throw .invalidParameter("\(field(of: aspect))")
            }
            return .published(PublishedValue(aspect, structure.objectValue))
        }
        // A value that is not an object has no fields.
        let fields = Fields(structure.objectValue ?? [:], path: builtIn.rawValue, noting: unknownWords)
        return try decode(fields, of: builtIn)
    }

    /// Decodes a reading from the fields of its structure.
    static func decode(_ fields: borrowing Fields, of aspect: BuiltInAspect) throws(CallError) -> Reading {
        switch aspect {
        case .locale: .locale(try LocaleSettings(fields))
        case .defaults: .defaults(try Defaults(fields))
        case .battery: .battery(try Battery(fields))
        case .proximity: .proximity(try Proximity(fields))
        case .orientation: .orientation(try Orientation(fields))
        case .light: .light(try Light(fields))
        case .display: .display(try Display(fields))
        case .network: .network(try Network(fields))
        case .folders: .folders(try Folders(fields))
        case .motion: .motion(try Motion(fields))
        case .shake: .shake(try Shake(fields))
        case .power: .power(try Power(fields))
        case .lifecycle: .lifecycle(try Lifecycle(fields))
        }
    }
}
