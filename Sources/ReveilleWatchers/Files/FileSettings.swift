// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The files of a watcher, and its delays.
package struct FileSettings: Sendable, Hashable {
    /// Files, or directories whose files are watched; absolute, or below home as `~/…`.
    ///
    /// `/a/*` stands for the files in each subdirectory of `/a`.
    package var paths: [String]
    /// The directory that all paths are relative to; empty for the root directory.
    package var root: String
    /// The user's home directory, absolute, without the root.
    package var home: String
    /// The time from the end of a write to the read.
    package var settle: Duration
    /// How long a missing or empty file keeps its values.
    package var deletionGrace: Duration

    package init(
        paths: [String], root: String, home: String, settle: Duration = .milliseconds(50),
        deletionGrace: Duration = .milliseconds(250)
    ) {
        self.paths = paths
        self.root = root
        self.home = home
        self.settle = settle
        self.deletionGrace = deletionGrace
    }
}

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
        String(path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...])
    }
}
