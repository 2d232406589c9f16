// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A path as a person configures it.
enum ConfiguredPath {
    /// The path with `~` at its start replaced by the user's home directory, and no `/` too many.
    static func expanded(_ path: String, home: String) -> String {
        let path = path == "~" || path.hasPrefix("~/") ? home + path.dropFirst() : path
        return "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    /// The last name of a path.
    static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}
