// SPDX-License-Identifier: Apache-2.0

package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The key with its section, such as `battery.pollInterval`; `nil` for the file as a whole.
    package var key: String?
    package var reason: String
    /// The path of the file, if it was read from one.
    package var file: String?

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
