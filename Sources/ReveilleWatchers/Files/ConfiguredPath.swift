// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// A path as written in the configuration.
///
/// Paths are split by bytes: a combining mark at the start of a name would form one character with the `/` before it.
enum ConfiguredPath {
    /// Returns the path with a leading `~` replaced by the home directory, and without redundant `/` and `.`.
    static func expanded(_ path: String, home: String) -> String {
        let isOfHome = path == "~" || path.utf8.starts(with: "~/".utf8)
        let path = isOfHome ? home + String(Substring(path.utf8.dropFirst())) : path
        return "/" + PathChain.names(of: path).filter { $0 != "." }.joined(separator: "/")
    }

    static func name(of path: String) -> String {
        PathChain.names(of: path).last ?? ""
    }
}
