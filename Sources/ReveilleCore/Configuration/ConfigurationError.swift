// SPDX-License-Identifier: Apache-2.0

/// An error in a configuration.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The key with its section, such as `battery.pollInterval`; `nil` for the file as a whole.
    package var key: String?
    /// The problem.
    package var reason: String
    /// The path of the file, if it was read from one.
    package var file: String?

    /// Creates an error.
    package init(key: String?, reason: String, file: String? = nil) {
        self.key = key
        self.reason = reason
        self.file = file
    }

    /// One line of text: `reveille.json5: battery.pollInterval: not a number of seconds`.
    package var description: String {
        [file, key, reason].compactMap { $0 }.joined(separator: ": ")
    }
}
