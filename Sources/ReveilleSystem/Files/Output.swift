// SPDX-License-Identifier: Apache-2.0

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
