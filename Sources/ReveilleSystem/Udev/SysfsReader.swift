// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads one attribute repeatedly through one descriptor.
///
/// This takes a third of the time of opening the file for each read.
///
/// The driver is queried again whenever a file of sysfs is read from its start (the kernel's sysfs document).
package final class SysfsReader {
    private let path: String
    private var descriptor: OwnedDescriptor?

    /// Creates a reader; the file is opened by the first read.
    package init(_ path: String) {
        self.path = path
    }

    package func read() -> SysfsAttribute {
        if let value = readAgain() { return value }
        descriptor = nil
        let number = retryingOnInterrupt { open(path, SysfsAttribute.flags) }
        guard number >= 0 else { return SysfsAttribute.failure("open", path) }
        descriptor = OwnedDescriptor(number)
        return SysfsAttribute.contents(of: number, path)
    }

    /// Reads through the open descriptor; `nil` if there is none, or its file has gone.
    private func readAgain() -> SysfsAttribute? {
        guard let number = descriptor?.number else { return nil }
        // A file outside of sysfs may have been replaced by another of the same name, as synthetic devices do.
        var status = stat()
        guard fstat(number, &status) == 0, status.st_nlink > 0 else { return nil }
        let value = SysfsAttribute.contents(of: number, path)
        // The device may have been removed and added again.
        return value == .missing ? nil : value
    }
}
