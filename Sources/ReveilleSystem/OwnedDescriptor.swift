// SPDX-License-Identifier: Apache-2.0

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

    /// Opens a file, with `O_CLOEXEC` added to the flags of open(2); a new file gets the mode.
    init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        let number = retryingOnInterrupt { open(path, flags | O_CLOEXEC, mode) }
        guard number >= 0 else { throw SystemError("open", on: path) }
        self.number = number
    }

    deinit {
        // Linux closes the descriptor even if close(2) reports EINTR, so it must not be closed again.
        close(number)
    }
}
