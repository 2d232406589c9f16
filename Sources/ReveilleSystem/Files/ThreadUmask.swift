// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CReveilleLinux
import Glibc

/// The umask of one thread.
package enum ThreadUmask {
    /// Runs code with a umask that no other thread sees.
    ///
    /// The threads of a process share one umask (umask(2)): two of them that change it at the same time would leave that
    /// of one behind, and others would create files with it meanwhile. The calling thread has its own from then on, and
    /// a working directory of its own.
    package static func with<Result>(_ mask: UInt32, _ body: () -> Result) -> Result {
        // Where it is refused, as by a filter of system calls, the umask remains the one of the process.
        _ = c_reveille_unshare_umask()
        let before = umask(mask)
        defer { umask(before) }
        return body()
    }
}
