// SPDX-License-Identifier: Apache-2.0

/// The bytes that wait for room in a stream.
package struct PendingOutput {
    private var bytes: ArraySlice<UInt8> = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }

    /// Writes bytes after the waiting bytes, and keeps what does not fit; false if the peer no longer reads.
    package mutating func write(_ added: [UInt8], to stream: any ByteStream) throws(SystemError) -> Bool {
        guard isEmpty else {
            bytes += added
            return try write(to: stream)
        }
        switch try stream.write(added.span) {
        case .bytes(let count) where count == added.count: return true
        case .bytes(let count): bytes = added[count...]
        case .wouldBlock: bytes = added[...]
        case .ended: return false
        }
        return try write(to: stream)
    }

    /// Writes as many of the waiting bytes as there is room for; discards them if the peer no longer reads.
    package mutating func write(to stream: any ByteStream) throws(SystemError) -> Bool {
        while !isEmpty {
            switch try stream.write(bytes.span) {
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
