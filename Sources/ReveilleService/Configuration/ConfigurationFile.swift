// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import ReveilleCore

/// The file of a configuration, which is read at the start and on request.
package struct ConfigurationFile: Sendable, CustomStringConvertible {
    /// The path.
    package let path: String
    /// Whether the file need not exist, as one that a unit names for its user to create.
    package let isOptional: Bool

    /// Creates a reference to a file.
    package init(path: String, isOptional: Bool) {
        self.path = path
        self.isOptional = isOptional
    }

    /// Reads the file; an optional file that does not exist has all defaults.
    ///
    /// - Throws: `ConfigurationError` with the file and the problem in it.
    package func read() throws(ConfigurationError) -> Configuration {
        isMissing ? Configuration() : try Configuration(readingFile: path)
    }

    /// The path, and whether the file is missing.
    package var description: String {
        isMissing ? "\(path), which does not exist (all defaults)" : path
    }

    /// Only an absence counts: a file that cannot be reached may have values.
    private var isMissing: Bool { isOptional && access(path, F_OK) != 0 && errno == ENOENT }
}
