// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// Where the files of locale and settings are.
package struct FileLocations: Sendable {
    /// Goes in front of every path; empty for the real ones.
    package var root: String
    /// The home directory, which `~` stands for.
    package var home: String
    /// `$XDG_CONFIG_HOME`, if it is set.
    package var configHome: String?

    /// The bus is the whole machine's: it looks into no user's settings unless it is told to.
    package var isSystemWide: Bool

    /// Makes locations of their parts.
    package init(root: String, home: String, configHome: String?, isSystemWide: Bool = false) {
        self.root = root
        self.home = home
        self.configHome = configHome
        self.isSystemWide = isSystemWide
    }

    /// The files and directories with settings, where none are configured.
    var settings: [String] {
        isSystemWide ? [] : ["~/.config"]
    }

    /// The files of the user who runs this process.
    ///
    /// - Parameter root: Goes in front of every path; empty for `$REVEILLE_ROOT`, which a synthetic phone sets, else for
    ///   the real ones.
    /// - Returns: Locations below `$HOME` and `$XDG_CONFIG_HOME`; of one that lies below the root already, the rest.
    package static func own(root: String) -> FileLocations {
        let root = root.isEmpty ? Environment["REVEILLE_ROOT"] ?? "" : root
        // As XDG's variables, it counts only where it is absolute.
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
