// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The environment's variables; one that is empty is as good as none.
package enum Environment {
    /// The value of a variable; `nil` where it is not set.
    package static subscript(name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
