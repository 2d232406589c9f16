// SPDX-License-Identifier: Apache-2.0

/// A connection's stream of bytes as a service requires it; ``UnixStream`` is the kernel's.
package protocol ByteStream: AnyObject {
    /// The descriptor, borrowed for the lifetime of the stream.
    var number: Int32 { get }
    /// Whether the peer has read everything that was written: the unread gate.
    var isAllRead: Bool { get }
    /// Whether the peer has closed its end without having read everything.
    var hasLostOutput: Bool { get }
    /// Whether more bytes may follow the last read, although the buffer had room for them.
    var isInterrupted: Bool { get }
    func peer() throws(SystemError) -> UnixStream.Peer
    /// Reads the available bytes into a buffer, as many as fit.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> UnixStream.Outcome
    /// Writes as many bytes as there is room for.
    func write(_ bytes: Span<UInt8>) throws(SystemError) -> UnixStream.Outcome
}

extension ByteStream {
    /// A stream of bytes alone has no messages that could interrupt a read.
    package var isInterrupted: Bool { false }
}

/// The memory that a thread's streams are read into, one at a time.
package final class ReadBuffer {
    private let memory: UnsafeMutableRawBufferPointer

    package init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit {
        memory.deallocate()
    }

    package var capacity: Int { memory.count }

    /// Reads once from a stream, and calls the body with the bytes if there are any.
    package func read(
        from stream: any ByteStream, _ body: (Span<UInt8>) -> Void
    ) throws(SystemError) -> UnixStream.Outcome {
        let outcome = try stream.read(into: memory)
        if case .bytes(let count) = outcome {
            body(UnsafeRawBufferPointer(rebasing: memory[..<count]).bindMemory(to: UInt8.self).span)
        }
        return outcome
    }
}

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

/// The bytes that wait for room in a stream.
@usableFromInline
package struct PendingOutput {
    @usableFromInline var bytes: ArraySlice<UInt8> = []

    package init() {}

    @inlinable package var isEmpty: Bool { bytes.isEmpty }

    /// Writes bytes after the waiting bytes, and keeps those that do not fit; false if the peer no longer reads.
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

    /// Writes as many of the waiting bytes as there is room for; false if the peer no longer reads, and none wait then.
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
