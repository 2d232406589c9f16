// SPDX-License-Identifier: Apache-2.0

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
