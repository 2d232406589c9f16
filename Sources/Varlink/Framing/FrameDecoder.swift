// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Cuts a stream of bytes into messages, each of which ends with a NUL byte.
///
/// How the stream was cut into reads makes no difference. Nothing behind the NUL of the message
/// that was taken last has been looked at, so it can as well be of another protocol.
public struct FrameDecoder: Sendable {
    private let maximumLength: Int
    private var buffer: [UInt8] = []
    /// Where the first message that was not taken yet begins.
    private var start = 0
    /// Up to where no NUL was found; a message in many parts is searched once, not once a part.
    private var searched = 0
    private var failure: FramingError?

    /// Makes a decoder.
    ///
    /// - Parameter maximumLength: The longest message allowed, in bytes and without its NUL.
    public init(maximumLength: Int = Limits.frame) {
        self.maximumLength = maximumLength
    }

    /// How many bytes wait to be taken as messages.
    public var bufferedCount: Int { buffer.count - start }

    /// Adds bytes that were read; after an error they are dropped.
    ///
    /// - Parameter bytes: What a read gave.
    /// - Complexity: O(n) over all bytes fed, amortized.
    public mutating func feed(_ bytes: Span<UInt8>) {
        guard failure == nil else { return }
        // What was taken is removed when it is at least half: each removal moves fewer bytes than
        // were taken since the one before.
        if start > 0, start >= bufferedCount {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(addingCapacity: bytes.count) { end in
            for index in bytes.indices {
                end.append(bytes[index])
            }
        }
    }

    /// Takes the next message, without its NUL.
    ///
    /// - Returns: The message; `nil` when it is not whole yet.
    /// - Throws: ``FramingError`` when it is too long, whole or not; and from then on each time.
    public mutating func nextFrame() throws(FramingError) -> [UInt8]? {
        if let failure {
            throw failure
        }
        let end = buffer[searched...].firstIndex(of: 0)
        searched = end ?? buffer.count
        guard searched - start <= maximumLength else {
            let failure = FramingError(maximumLength: maximumLength)
            self.failure = failure
            buffer = []
            start = 0
            throw failure
        }
        guard let end else { return nil }
        let frame = Array(buffer[start..<end])
        start = end + 1
        searched = start
        return frame
    }
}
