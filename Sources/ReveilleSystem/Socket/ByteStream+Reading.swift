// SPDX-License-Identifier: Apache-2.0

/// The most bytes that a client reads at once: a few system calls for the longest settings.
private let readSize = 65_536

extension ByteStream {
    /// Reads once, at most the given number of bytes, and calls the body with the bytes if there are any.
    package func read(
        atMost limit: Int = readSize, _ body: (Span<UInt8>) -> Void
    ) throws(SystemError) -> UnixStream.Outcome {
        try ReadBuffer(capacity: limit).read(from: self, body)
    }
}
