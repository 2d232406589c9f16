// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleCore
import ReveilleSystem

extension Configuration {
    /// The largest configuration file in bytes: far more than a person writes.
    package static let sizeLimit = 1 << 17

    /// Parses a configuration; keys that are absent or null keep their defaults.
    ///
    /// - Parameter bytes: An object in JSON5.
    /// - Throws: `ConfigurationError` with the line that is not JSON5, or the key that is unknown or has an invalid value.
    package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let top = try ConfigurationSection(parsing: bytes)
        self.init()
        for key in Self.keys { try key.read(top, &self) }
        try top.rejectUnknownKeys()
    }
}

/// The file of a configuration, read at the start and on request.
package struct ConfigurationFile: Sendable, CustomStringConvertible {
    package let path: String
    /// Whether the file need not exist, such as a file that a unit names for its user to create.
    package let isOptional: Bool

    package init(path: String, isOptional: Bool = false) {
        self.path = path
        self.isOptional = isOptional
    }

    /// Reads the file; an optional file that does not exist has all defaults.
    package func read() throws(ConfigurationError) -> Configuration {
        if isMissing { return Configuration() }
        let bytes: [UInt8]
        do throws(RequiredFile.Unusable) {
            bytes = try RequiredFile.read(path, limit: Configuration.sizeLimit)
        } catch {
            throw ConfigurationError(key: nil, reason: "\(error)")
        }
        do throws(ConfigurationError) {
            return try Configuration(parsing: bytes)
        } catch {
            throw ConfigurationError(key: error.key, reason: error.reason, file: path)
        }
    }

    package var description: String {
        isMissing ? "\(path), which does not exist (all defaults)" : path
    }

    /// Only an absence counts: a file that cannot be reached may have values.
    private var isMissing: Bool { isOptional && access(path, F_OK) != 0 && errno == ENOENT }
}
