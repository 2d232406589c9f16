// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem

/// The file in which a user configures a program.
package enum ConfigurationPath {
    /// Returns the usual path: in `$XDG_CONFIG_HOME/reveille`, else in `~/.config/reveille`; `nil` without a home.
    package static func usual(_ name: String) -> String? {
        let directories = [Environment["XDG_CONFIG_HOME"], Environment["HOME"].map { $0 + "/.config" }]
        return directories.compactMap(\.self).first { $0.hasPrefix("/") }.map { "\($0)/reveille/\(name)" }
    }

    /// Reads a file of at most as many bytes; errors name it.
    package static func read<Value>(
        _ path: String, limit: Int, parse: ([UInt8]) -> Result<Value, ConfigurationError>
    ) throws(Failure) -> Value {
        let bytes = try Failure.coded(.configuration) { try RequiredFile.read(path, limit: limit) }
        return try parse(bytes).mapError {
            Failure(.configuration, "\(ConfigurationError(key: $0.key, reason: $0.reason, file: path))")
        }.get()
    }
}
