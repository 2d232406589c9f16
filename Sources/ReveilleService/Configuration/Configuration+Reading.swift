// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

extension Configuration {
    /// The largest configuration file in bytes: far more than anyone writes by hand.
    package static let sizeLimit = 1 << 17

    /// Reads a configuration from a file.
    ///
    /// - Throws: `ConfigurationError` with the file and what is wrong in it.
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
        try top.section("battery") { section throws(ConfigurationError) in
            try section.seconds("pollInterval", into: &battery.pollInterval)
            try section.seconds("settleInterval", into: &battery.settleInterval)
            try section.number("levelStep", in: 0...1, into: &battery.levelStep)
            try section.seconds("levelInterval", atLeast: 0, into: &battery.levelInterval)
        }
        try top.section("proximity") { section throws(ConfigurationError) in
            try section.seconds("sampleInterval", into: &proximity.sampleInterval)
            var level = proximity.nearLevel ?? 0
            try section.number("nearLevel", in: 0...Double(Int32.max), into: &level)
            proximity.nearLevel = level > 0 ? level : nil
        }
        try top.section("orientation") { section throws(ConfigurationError) in
            try section.seconds("sampleInterval", into: &orientation.sampleInterval)
            try section.seconds("settle", atLeast: 0, into: &orientation.settle)
            try section.text("frame", "auto, hid or iio-doc") { OrientationFrame(rawValue: $0) }
                .map { orientation.frame = $0 }
            try section.text("matrix", "nine numbers as in \"1, 0, 0; 0, 1, 0; 0, 0, 1\"") { MountMatrix($0) }
                .map { orientation.matrix = $0 }
        }
        try top.seconds("idleSampleInterval", into: &idleSampleInterval)
        try top.section("locale") { section throws(ConfigurationError) in
            locale.paths = try section.paths("paths")
        }
        try top.section("defaults") { section throws(ConfigurationError) in
            defaults.paths = try section.paths("paths")
            try section.seconds("settle", atLeast: 0, into: &defaults.settle)
            try section.seconds("deletionGrace", atLeast: 0, into: &defaults.deletionGrace)
        }
        try top.section("bus") { section throws(ConfigurationError) in
            try section.integer("history", in: 1...65_536, into: &bus.history)
            try section.integer("maxFrame", in: 1_024...16_777_216, into: &bus.maxFrame)
            try section.integer("connectionsPerUser", in: 1...1_000_000, into: &bus.connectionsPerUser)
            try section.integer("connections", in: 1...1_000_000, into: &bus.connections)
        }
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
