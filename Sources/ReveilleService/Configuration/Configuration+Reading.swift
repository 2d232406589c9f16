// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

extension Configuration {
    /// The largest configuration file in bytes: far more than a person writes.
    package static let sizeLimit = 1 << 17

    /// Reads a configuration from a file.
    ///
    /// - Throws: `ConfigurationError` with the file and the problem in it.
    package init(readingFile path: String) throws(ConfigurationError) {
        let problem: String
        switch FileContents.read(path, limit: Self.sizeLimit) {
        case .bytes(let bytes):
            do throws(ConfigurationError) {
                self = try Configuration(parsing: bytes)
                return
            } catch {
                var error = error
                error.file = path
                throw error
            }
        case .missing:
            throw ConfigurationError(key: nil, reason: "open \(path): No such file or directory (ENOENT)")
        case .notAFile: problem = "not a file"
        case .tooLarge(let limit): problem = "longer than \(limit) bytes"
        case .unreadable(let error): problem = "\(error)"
        }
        throw ConfigurationError(key: nil, reason: problem, file: path)
    }

    /// Parses a configuration; keys that are absent or null keep their defaults.
    ///
    /// - Parameter bytes: An object in JSON5.
    /// - Throws: `ConfigurationError` with the line that is not JSON5, or the key that is unknown or has an invalid value.
    package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let top = try ConfigurationSection(Self.value(bytes), path: nil)
        self.init()
        try top.section("battery") { section throws(ConfigurationError) in try battery.read(section) }
        try top.section("proximity") { section throws(ConfigurationError) in try proximity.read(section) }
        try top.section("orientation") { section throws(ConfigurationError) in try orientation.read(section) }
        try top.section("light") { section throws(ConfigurationError) in try light.read(section) }
        try top.section("display") { section throws(ConfigurationError) in try display.read(section) }
        try top.seconds("idleSampleInterval", into: &idleSampleInterval)
        try top.section("locale") { section throws(ConfigurationError) in try locale.read(section) }
        try top.section("defaults") { section throws(ConfigurationError) in try defaults.read(section) }
        try top.section("folders") { section throws(ConfigurationError) in try folders.read(section) }
        try top.section("bus") { section throws(ConfigurationError) in try bus.read(section) }
        try top.section("publish") { section throws(ConfigurationError) in
            try publish.read(section, maxFrame: bus.maxFrame)
        }
        try top.section("lifecycle") { section throws(ConfigurationError) in try lifecycle.read(section) }
        try top.section("schedule") { section throws(ConfigurationError) in try schedule.read(section) }
        try top.rejectUnknownKeys()
    }

    private static func value(_ bytes: [UInt8]) throws(ConfigurationError) -> SettingsValue {
        do {
            // Numbers out of range are accepted here, so that the error names their key.
            return try RelaxedJSON.parse(bytes, allowsInfinity: true)
        } catch {
            throw ConfigurationError(key: nil, reason: "not JSON5: \(error)")
        }
    }
}
