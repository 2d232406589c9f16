// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The file in which a user configures a program.
package enum ConfigurationPath {
    /// Returns the usual path: in `$XDG_CONFIG_HOME/reveille`, else in `~/.config/reveille`; `nil` without a home.
    package static func usual(_ name: String) -> String? {
        let directories = [Environment["XDG_CONFIG_HOME"], Environment["HOME"].map { $0 + "/.config" }]
        return directories.compactMap(\.self).first { $0.hasPrefix("/") }.map { "\($0)/reveille/\(name)" }
    }
}
