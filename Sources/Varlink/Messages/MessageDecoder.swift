// SPDX-License-Identifier: Apache-2.0

/// A decoder that splits a stream of bytes into messages and parses them.
struct MessageDecoder: Sendable {
    private var frames: FrameDecoder
    /// The values of the last message; the next message reuses their memory.
    private var nodes: [JSONText.Node] = []

    init(maximumLength: Int) {
        frames = FrameDecoder(maximumLength: maximumLength)
    }

    var bufferedCount: Int { frames.bufferedCount }

    mutating func feed(_ bytes: Span<UInt8>) {
        frames.feed(bytes)
    }

    /// Takes the next message, always an object; `nil` if no message is complete.
    mutating func next() throws(VarlinkError) -> JSONText? {
        guard let message = try frames.nextMessage() else { return nil }
        return try Message.text(parsing: message, count: message.count - 1, reusing: &nodes)
    }

    mutating func releaseMemory() {
        nodes = []
        frames.releaseMemory()
    }
}
