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
        let number = retryingOnInterrupt { open(path, flags) }
        guard number >= 0 else { return failure("open", path) }
        let descriptor = OwnedDescriptor(number)
        return contents(of: descriptor.number, path)
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
