// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A path as a person configures it.
enum ConfiguredPath {
    /// The path with `~` at its start replaced by the user's home directory.
    static func expanded(_ path: String, home: String) -> String {
        path == "~" || path.hasPrefix("~/") ? home + path.dropFirst() : path
    }

    /// The last name of a path.
    static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}
