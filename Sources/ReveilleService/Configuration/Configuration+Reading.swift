// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
import ReveilleSystem

extension Configuration {
    /// The largest configuration file in bytes: far more than a person writes.
    package static let sizeLimit = 1 << 17

    /// Reads a configuration from a file.
    ///
    /// - Throws: `ConfigurationError` with the file and the problem in it.
    package init(readingFile path: String) throws(ConfigurationError) {
        let bytes: [UInt8]
        do throws(RequiredFile.Unusable) {
            bytes = try RequiredFile.read(path, limit: Self.sizeLimit)
        } catch {
            throw ConfigurationError(key: nil, reason: "\(error)")
        }
        do throws(ConfigurationError) {
            try self.init(parsing: bytes)
        } catch {
            throw ConfigurationError(key: error.key, reason: error.reason, file: path)
        }
    }

    /// Parses a configuration; keys that are absent or null keep their defaults.
    ///
    /// - Parameter bytes: An object in JSON5.
    /// - Throws: `ConfigurationError` with the line that is not JSON5, or the key that is unknown or has an invalid value.
    package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let top = try ConfigurationSection(parsing: bytes)
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
}
