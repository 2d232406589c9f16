// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux

/// The memory that only the start of a program uses.
package enum StartupMemory {
    /// Releases free memory and the code that has run so far.
    ///
    /// Reading a saved state leaves more free memory than the bus then needs. The start also runs most of the code that
    /// a bus ever runs, and the kernel maps 64 kB around each function: 12 MB instead of 4. Code that runs again is
    /// mapped again, in about a microsecond each time.
    package static func release() {
        c_reveille_release_memory()
    }
}
