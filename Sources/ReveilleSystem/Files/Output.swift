// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

package enum Output {
    /// Writes bytes, and waits for room if another process has made the descriptor non-blocking.
    ///
    /// - Throws: `SystemError` with the name; a part of the bytes may have been written.
    package static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32, of name: String) throws(SystemError)
    {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = write(rest, to: descriptor)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                try Readiness.wait(descriptor, for: .writable, atMost: .seconds(Int32.max))
            } else {
                throw SystemError("write", on: name)
            }
        }
    }

    /// Writes as many bytes as possible without blocking, and returns whether all were written.
    package static func writeReady(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            guard (try? Readiness.wait(descriptor, for: .writable, atMost: .zero)) == true else { return false }
            // A pipe is writable only if it has room for so many bytes.
            let count = write(rest.prefix(Int(PIPE_BUF)), to: descriptor)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
        }
    }
}

/// A nameless file in memory for another process to read; unlike a pipe, it takes any length without blocking.
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
