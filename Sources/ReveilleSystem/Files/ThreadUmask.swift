// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

package enum ThreadUmask {
    /// Runs code with a umask that no other thread sees.
    ///
    /// The threads of a process share one umask (umask(2)): two threads that change it at the same time can leave the
    /// wrong umask behind, and other threads create files with it meanwhile. From then on, the calling thread has its
    /// own umask and its own working directory.
    package static func with<Result>(_ mask: UInt32, _ body: () -> Result) -> Result {
        // If this is refused, for example by a system call filter, the thread keeps sharing the process's umask.
        _ = c_reveille_unshare_umask()
        let before = umask(mask)
        defer { umask(before) }
        return body()
    }
}
