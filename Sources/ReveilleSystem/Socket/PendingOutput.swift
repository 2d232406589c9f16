// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The bytes that wait for room in a stream.
package struct PendingOutput {
    private var bytes: ArraySlice<UInt8> = []

    /// Creates output without bytes.
    package init() {}

    /// Whether no bytes wait.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Adds bytes after the waiting ones.
    package mutating func append(_ added: [UInt8]) {
        if isEmpty { bytes = added[...] } else { bytes += added }
    }

    /// Writes as many bytes as there is room for.
    ///
    /// - Returns: Whether the peer still reads. If it does not, the waiting bytes are discarded.
    package mutating func write(to stream: any ByteStream) throws(SystemError) -> Bool {
        while !isEmpty {
            switch try stream.write(bytes) {
            case .bytes(let count) where count == bytes.count: bytes = []
            case .bytes(let count): bytes.removeFirst(count)
            case .wouldBlock: return true
            case .ended:
                bytes = []
                return false
            }
        }
        return true
    }
}
