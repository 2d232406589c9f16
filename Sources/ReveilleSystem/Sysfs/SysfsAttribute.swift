// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The result of reading an attribute of a device.
package enum SysfsAttribute: Sendable, Hashable {
    case text(String)
    case missing
    /// The driver has no value now: ENODATA, EAGAIN, EIO or another error.
    case failed(SystemError)

    /// The kernel returns at most one page (sysfs document).
    private static let limit = 4_096
    /// The size of the first read: Swift allocates no more on the stack, and few attributes are longer.
    private static let usualLimit = 1_024

    static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// Reads an attribute; for a sensor, this can take as long as a sample.
    package static func read(_ path: String) -> SysfsAttribute {
        SysfsReader(path).read()
    }

    /// Reads an open attribute from its start.
    static func contents(of descriptor: Int32, _ path: String) -> SysfsAttribute {
        let start = contents(of: descriptor, path, limit: usualLimit)
        if case .text(let text) = start, text.utf8.count >= usualLimit {
            return contents(of: descriptor, path, limit: limit)
        }
        return start
    }

    private static func contents(of descriptor: Int32, _ path: String, limit: Int) -> SysfsAttribute {
        withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            let count = retryingOnInterrupt { pread(descriptor, buffer.baseAddress, buffer.count, 0) }
            guard count >= 0 else { return failure("read", path) }
            return .text(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }

    package static func write(_ text: String, to path: String) throws(SystemError) {
        let descriptor = try OwnedDescriptor(opening: path, O_WRONLY | O_TRUNC | O_NONBLOCK)
        let bytes = Array(text.utf8)
        guard retryingOnInterrupt({ Glibc.write(descriptor.number, bytes, bytes.count) }) == bytes.count else {
            throw SystemError("write \(text) to", on: path)
        }
    }

    static func failure(_ operation: String, _ path: String) -> SysfsAttribute {
        switch errno {
        case ENOENT, ENOTDIR, ENODEV, ENXIO: .missing
        default: .failed(SystemError(operation, on: path))
        }
    }
}

/// Reads one attribute repeatedly through one descriptor, in a third of the time of opening it for each read.
///
/// The driver is queried again whenever a file of sysfs is read from its start (the kernel's sysfs document).
package final class SysfsReader: Sendable {
    private let path: String
    private let descriptor = Lock<OwnedDescriptor?>(nil)

    /// Creates a reader; the file is opened by the first read.
    package init(_ path: String) {
        self.path = path
    }

    package func read() -> SysfsAttribute {
        AttributeReads.read(path) {
            descriptor.withLock { descriptor in
                if let value = readAgain(descriptor?.number) { return value }
                descriptor = nil
                let number = retryingOnInterrupt { open(path, SysfsAttribute.flags) }
                guard number >= 0 else { return SysfsAttribute.failure("open", path) }
                descriptor = OwnedDescriptor(number)
                return SysfsAttribute.contents(of: number, path)
            }
        }
    }

    /// Reads through the open descriptor; `nil` if there is none, or its file has gone.
    private func readAgain(_ number: Int32?) -> SysfsAttribute? {
        guard let number else { return nil }
        // A file outside of sysfs may have been replaced by another of the same name, as synthetic devices do.
        var status = stat()
        guard fstat(number, &status) == 0, status.st_nlink > 0 else { return nil }
        let value = SysfsAttribute.contents(of: number, path)
        // The device may have been removed and added again.
        return value == .missing ? nil : value
    }
}
