// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

package struct FileLocations: Sendable {
    /// A prefix of every path; empty for the real files.
    package var root: String
    /// The home directory, for `~`.
    package var home: String
    /// `$XDG_CONFIG_HOME`, if it is set.
    package var configHome: String?
    /// Whether the bus serves the whole machine, and reads a user's settings only if they are configured.
    package var isSystemWide: Bool

    package init(root: String, home: String, configHome: String?, isSystemWide: Bool = false) {
        self.root = root
        self.home = home
        self.configHome = configHome
        self.isSystemWide = isSystemWide
    }

    /// Returns the locations of the current user's files, without the root if they are below it.
    ///
    /// An empty root stands for `$REVEILLE_ROOT`, which a synthetic phone sets, or for the real files.
    package static func own(root: String) -> FileLocations {
        let root = root.isEmpty ? Environment["REVEILLE_ROOT"] ?? "" : root
        // Like XDG's variables, it is ignored if it is not absolute.
        let home =
            Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? getpwuid(geteuid()).map {
                String(cString: $0.pointee.pw_dir)
            } ?? "/"
        let below = { (path: String) in
            !root.isEmpty && path.hasPrefix(root + "/") ? String(path.dropFirst(root.count)) : path
        }
        return FileLocations(root: root, home: below(home), configHome: Environment["XDG_CONFIG_HOME"].map(below))
    }
}
