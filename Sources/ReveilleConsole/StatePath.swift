// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The files in which a program of a user or of a service keeps its state.
package enum StatePath {
    /// Returns the usual path: in `$STATE_DIRECTORY`, else in `$XDG_STATE_HOME/reveille`, else in
    /// `~/.local/state/reveille`.
    package static func usual(_ name: String, option: String) throws(Failure) -> String {
        // systemd separates several directories with colons.
        if let directory = Environment["STATE_DIRECTORY"]?.split(separator: ":").first { return "\(directory)/\(name)" }
        if let directory = Environment["XDG_STATE_HOME"], directory.hasPrefix("/") {
            return "\(directory)/reveille/\(name)"
        }
        guard let home = Environment["HOME"], home.hasPrefix("/") else {
            throw Failure(.usage, "$HOME is not set; give a file with \(option)")
        }
        return "\(home)/.local/state/reveille/\(name)"
    }

    /// Creates the missing directories of a path, for this user only.
    ///
    /// A failure is reported by the operation on the file.
    package static func createDirectories(of path: String) {
        var end = path.utf8.index(after: path.utf8.startIndex)
        while let slash = path.utf8[end...].firstIndex(of: UInt8(ascii: "/")) {
            mkdir(String(path[..<slash]), 0o700)
            end = path.utf8.index(after: slash)
        }
    }
}
