// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The number of bytes that one read of a client takes: some system calls for the longest settings, and not too much
/// for a stack.
private let readSize = 65_536

extension ByteStream {
    /// Reads once, and passes on the bytes.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to read.
    ///   - body: Called with the bytes if there are any.
    /// - Returns: The outcome of the read.
    /// - Throws: `SystemError` of the read.
    package func read(
        atMost limit: Int = readSize, _ body: (Span<UInt8>) -> Void
    ) throws(SystemError) -> UnixStream.Outcome {
        try withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer throws(SystemError) in
            let outcome = try read(into: buffer)
            if case .bytes(let count) = outcome {
                body(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count]).span)
            }
            return outcome
        }
    }
}
