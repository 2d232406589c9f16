// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Readings as the interface's five structures.
package enum ReadingCoding {
    /// The structure of a reading.
    ///
    /// - Parameters:
    ///   - reading: The state.
    ///   - settings: What of the settings to name, for a reading of the defaults.
    /// - Returns: The structure that stands in the field of the aspect's name.
    package static func encode(_ reading: Reading, settings: [SettingsChange]) -> JSON {
        switch reading {
        case .locale(let locale): encode(locale)
        case .defaults: .object(["domains": .array(settings.map(encode))])
        case .battery(let battery): encode(battery)
        case .proximity(let proximity): .object(["state": .string(proximity.rawValue)])
        case .orientation(let orientation):
            .object([
                "pose": .string(orientation.pose.rawValue),
                "planar": orientation.planar.map { .string($0.rawValue) } ?? .null,
            ])
        }
    }

    private static func encode(_ locale: LocaleSettings) -> JSON {
        .object([
            "identifier": .string(locale.identifier),
            "languages": .array(locale.languages.map { .string($0) }),
            "numeric": .string(locale.numeric),
            "time": .string(locale.time),
            "monetary": .string(locale.monetary),
            "measurement": .string(locale.measurement),
        ])
    }

    private static func encode(_ change: SettingsChange) -> JSON {
        .object([
            "domain": .string(change.domain),
            "path": .string(change.path),
            "keys": .array(change.keys.map { .string($0) }),
            "opaque": .bool(change.isOpaque),
        ])
    }

    private static func encode(_ battery: Battery) -> JSON {
        let packs = battery.packs.map { pack in
            JSON.object([
                "name": .string(pack.name),
                "level": pack.level.map { .number($0) } ?? .null,
                "chargeStatus": .string(pack.chargeStatus.rawValue),
            ])
        }
        return .object([
            "state": .string(battery.state.rawValue),
            "level": battery.level.map { .number($0) } ?? .null,
            "plugged": battery.isPlugged.map { .bool($0) } ?? .null,
            "chargeStatus": .string(battery.chargeStatus.rawValue),
            "packs": .array(packs),
        ])
    }

    // MARK: - Decoding

    /// The reading that an aspect's structure says.
    ///
    /// - Parameters:
    ///   - structure: The value of the field of the aspect's name.
    ///   - aspect: Which of the five structures it is.
    ///   - unknownWords: Takes words that are not known, which read as `unknown`; without it they are errors.
    /// - Returns: The reading. Settings values are not on the wire: every key gets the same fingerprint.
    /// - Throws: `InvalidParameter` with the path of the field that says what the interface does not allow.
    package static func decode(
        _ structure: JSON, of aspect: Aspect, noting unknownWords: UnknownWords? = nil
    ) throws(CallError) -> Reading {
        let fields = Fields(structure, path: aspect.rawValue, noting: unknownWords)
        switch aspect {
        case .locale: return .locale(try decodeLocale(fields))
        case .defaults: return .defaults(try decodeDefaults(fields))
        case .battery: return .battery(try decodeBattery(fields))
        case .proximity: return .proximity(try fields.word("state", else: .unknown))
        case .orientation:
            let pose: Orientation.Pose = try fields.word("pose", else: .unknown)
            let planar: Orientation.Pose? = try fields.optionalWord("planar")
            guard planar?.isPlanar != false else { throw fields.invalid("planar") }
            return .orientation(Orientation(pose: pose, planar: planar))
        }
    }

    private static func decodeLocale(_ fields: Fields) throws(CallError) -> LocaleSettings {
        LocaleSettings(
            identifier: try fields.string("identifier"), languages: try fields.strings("languages"),
            numeric: try fields.string("numeric"), time: try fields.string("time"),
            monetary: try fields.string("monetary"), measurement: try fields.string("measurement"))
    }

    private static func decodeDefaults(_ fields: Fields) throws(CallError) -> Defaults {
        var domains: [Defaults.Domain] = []
        var paths: Set<String> = []
        for domain in try fields.structures("domains") {
            let isOpaque = try domain.bool("opaque")
            let keys = isOpaque ? [""] : try domain.strings("keys")
            let path = try domain.string("path")
            guard paths.insert(path).inserted else { throw domain.invalid("path") }
            domains.append(
                Defaults.Domain(
                    name: try domain.string("domain"), path: path,
                    values: Dictionary(keys.map { ($0, 0) }, uniquingKeysWith: { first, _ in first }),
                    isOpaque: isOpaque))
        }
        return Defaults(domains: domains)
    }

    private static func decodeBattery(_ fields: Fields) throws(CallError) -> Battery {
        var packs: [Battery.Pack] = []
        for pack in try fields.structures("packs") {
            packs.append(
                Battery.Pack(
                    name: try pack.string("name"), level: try pack.level("level"),
                    chargeStatus: try pack.word("chargeStatus", else: .unknown)))
        }
        return Battery(
            state: try fields.word("state", else: .unknown), level: try fields.level("level"),
            isPlugged: try fields.optionalBool("plugged"),
            chargeStatus: try fields.word("chargeStatus", else: .unknown), packs: packs)
    }
}
