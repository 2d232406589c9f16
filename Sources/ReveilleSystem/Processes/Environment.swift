// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The environment variables; an empty one counts as unset.
package enum Environment {
    /// The value of a variable, or `nil` if it is not set.
    package static subscript(name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
