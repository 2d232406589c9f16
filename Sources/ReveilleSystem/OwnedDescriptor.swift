// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A file descriptor with a single owner, which is closed when the owner is released.
package struct OwnedDescriptor: ~Copyable {
    /// The number, for calls that borrow the descriptor.
    package let number: Int32

    /// Takes ownership of an open descriptor.
    package init(_ number: Int32) {
        precondition(number >= 0, "descriptor is not open")
        self.number = number
    }

    deinit {
        // Linux closes the descriptor even if close(2) reports EINTR, so it must not be closed again.
        close(number)
    }
}
