// SPDX-License-Identifier: Apache-2.0

/// A decoder that splits a stream of bytes into messages, each of which ends with a NUL byte.
///
/// The result does not depend on how the stream was split into reads. Bytes after the NUL of the last message
/// taken have not been parsed, so they may belong to another protocol.
public struct FrameDecoder: Sendable {
    /// The length of the longest message whose memory is used again: longer than most messages, and little for a
    /// connection to keep.
    private static let keptLength = 1_024

    private let maximumLength: Int
    @usableFromInline var buffer: [UInt8] = []
    /// The offset of the first message that has not been taken.
    @usableFromInline var start = 0
    /// The offset of the first byte that has not been searched for a NUL: a message in many parts is searched only
    /// once.
    private var searched = 0
    private var hasFailed = false

    /// Creates a decoder.
    ///
    /// - Parameter maximumLength: The maximum length of a message in bytes, without its NUL.
    public init(maximumLength: Int = Limits.frame) {
        self.maximumLength = maximumLength
    }

    /// The number of bytes that have not been taken as messages.
    @inlinable public var bufferedCount: Int { buffer.count - start }

    /// Appends bytes from the stream; after an error they are discarded.
    ///
    /// - Complexity: O(n) over all bytes fed, amortized.
    public mutating func feed(_ bytes: Span<UInt8>) {
        guard !hasFailed else { return }
        // Taken bytes are removed once they are at least half of the buffer: each removal then moves fewer bytes
        // than were taken since the previous one.
        if start > 0, start >= bufferedCount {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// Takes the next message, without its NUL.
    ///
    /// - Returns: The message, or `nil` if it is incomplete.
    /// - Throws: ``VarlinkError/tooLong(maximum:)``, even if it is incomplete; every later call throws the same error.
    public mutating func nextFrame() throws(VarlinkError) -> [UInt8]? {
        guard var frame = try nextMessage() else { return nil }
        frame.removeLast()
        return frame
    }

    /// Takes the next message, with its NUL.
    ///
    /// A short message shares its memory with the decoder. The decoder reuses the memory once the message is released.
    mutating func nextMessage() throws(VarlinkError) -> [UInt8]? {
        guard !hasFailed else { throw .tooLong(maximum: maximumLength) }
        guard searched < buffer.count else { return nil }
        searched = buffer.span.firstZero(from: searched)
        guard searched - start <= maximumLength else {
            hasFailed = true
            buffer = []
            start = 0
            throw .tooLong(maximum: maximumLength)
        }
        guard searched < buffer.count else { return nil }
        let first = start
        searched += 1
        start = searched
        // Most reads contain one message, which is not copied.
        guard first == 0, searched == buffer.count else { return Array(buffer[first..<searched]) }
        let message = buffer
        if message.count > Self.keptLength { releaseMemory() }
        return message
    }

    /// Releases the memory for the next message, unless a part of it has been received.
    mutating func releaseMemory() {
        guard bufferedCount == 0 else { return }
        buffer = []
        start = 0
        searched = 0
    }
}
