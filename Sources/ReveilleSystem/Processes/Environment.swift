// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The environment variables; an empty variable counts as unset.
package enum Environment {
    package static subscript(name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// All variables, with the empty ones.
    package static var all: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            // By bytes: an equals sign may form a character with the bytes after it.
            let parts = String(cString: text).utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            variables[String(Substring(parts[0]))] = parts.count > 1 ? String(Substring(parts[1])) : ""
            entry += 1
        }
        return variables
    }
}

/// Secrets that a service manager passes to this program in files of its own (systemd.exec(5), `LoadCredential=`).
package enum Credentials {
    /// Returns the file of a credential; `nil` if the service manager has passed none of this name.
    package static func path(of name: String) -> String? {
        guard let directory = Environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else { return nil }
        let path = directory + "/" + name
        return access(path, F_OK) == 0 ? path : nil
    }
}
