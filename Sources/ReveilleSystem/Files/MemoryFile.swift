// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A nameless file in memory for another process to read.
///
/// Unlike a pipe, it takes contents of any length without blocking, and a reader that ends early is not an error.
package struct MemoryFile: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// The descriptor, positioned at the start of the contents.
    package var number: Int32 { descriptor.number }

    package init(_ contents: [UInt8]) throws(SystemError) {
        let number = c_reveille_memory_file("reveille")
        guard number >= 0 else { throw SystemError("memfd_create") }
        let descriptor = OwnedDescriptor(number)
        try Disk().write(contents, to: descriptor.number, of: "a file in memory")
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw SystemError("lseek", on: "a file in memory") }
        self.descriptor = descriptor
    }
}
