// SPDX-License-Identifier: Apache-2.0

/// The files of a watcher, and its delays.
package struct FileSettings: Sendable, Hashable {
    /// Files, or directories whose files are watched; absolute, or below home as `~/…`.
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
