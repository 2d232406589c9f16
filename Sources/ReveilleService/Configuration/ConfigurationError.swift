// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Why a configuration is not taken.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The key that is wrong, with its section: `battery.pollInterval`; `nil` for the text as a whole.
    package var key: String?
    /// What is wrong with it.
    package var reason: String
    /// The file, once it is known.
    package var file: String?

    /// Makes an error of its parts.
    package init(key: String?, reason: String, file: String? = nil) {
        self.key = key
        self.reason = reason
        self.file = file
    }

    /// One line: `reveille.json5: battery.pollInterval: not a number of seconds`.
    package var description: String {
        [file, key, reason].compactMap { $0 }.joined(separator: ": ")
    }
}
