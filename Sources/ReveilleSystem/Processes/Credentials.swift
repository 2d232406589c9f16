// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Secrets that a service manager passes to this program in files of its own (systemd.exec(5), `LoadCredential=`).
package enum Credentials {
    /// Returns the file of a credential; `nil` if the service manager has passed none of this name.
    package static func path(of name: String) -> String? {
        guard let directory = Environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else { return nil }
        let path = directory + "/" + name
        return access(path, F_OK) == 0 ? path : nil
    }
}
