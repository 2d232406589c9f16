// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// A path as a person configures it.
///
/// Names are bytes: one that begins with a combining mark would be one character with the `/` before it.
enum ConfiguredPath {
    /// The path with `~` at its start replaced by the user's home directory, and no `/` too many.
    static func expanded(_ path: String, home: String) -> String {
        let isOfHome = path == "~" || path.utf8.starts(with: "~/".utf8)
        let path = isOfHome ? home + String(Substring(path.utf8.dropFirst())) : path
        return "/" + PathChain.names(of: path).filter { $0 != "." }.joined(separator: "/")
    }

    /// The last name of a path.
    static func name(of path: String) -> String {
        PathChain.names(of: path).last ?? ""
    }
}
