// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A file descriptor with one owner, closed when the owner goes.
package struct OwnedDescriptor: ~Copyable {
    /// The number, for calls that borrow it.
    package let number: Int32

    /// Takes over an open descriptor.
    package init(_ number: Int32) {
        precondition(number >= 0, "a descriptor that is not open")
        self.number = number
    }

    deinit {
        // Linux closes the descriptor even when close(2) reports EINTR: never again by the same number.
        close(number)
    }
}
