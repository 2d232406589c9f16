// SPDX-License-Identifier: Apache-2.0

/// The common format of calls and replies: an object with known members, followed by a NUL byte.
enum Message {
    static func text(
        parsing bytes: [UInt8], count: Int, reusing nodes: inout [JSONText.Node]
    ) throws(VarlinkError) -> JSONText {
        let text: JSONText
        do throws(JSONError) {
            text = try JSONText(parsing: bytes, count: count, reusing: &nodes)
        } catch {
            throw .json(error)
        }
        guard case .object = text.nodes[0].value else { throw .notAnObject }
        return text
    }

    static func text(parsing frame: [UInt8]) throws(VarlinkError) -> JSONText {
        var nodes: [JSONText.Node] = []
        return try text(parsing: frame, count: frame.count, reusing: &nodes)
    }

    /// Returns the index of `parameters`, or `nil` for `null`, which is equivalent to an empty object.
    static func parameters(in text: JSONText, at index: Int) throws(VarlinkError) -> Int? {
        switch text.nodes[index].value {
        case .object: return index
        case .null: return nil
        default: throw .wrongType(member: "parameters")
        }
    }

    /// Ignores a vendor's extension, whose name contains a dot; other members are errors.
    static func ignore(_ text: JSONText, at index: Int) throws(VarlinkError) {
        let name = text.name(at: index)
        guard name.utf8.contains(UInt8(ascii: ".")) else { throw .unknownMember(name) }
    }
}

extension ShortText {
    static var method: ShortText { @inline(__always) get { ShortText("method") } }
    static var parameters: ShortText { @inline(__always) get { ShortText("parameters") } }
    static var oneway: ShortText { @inline(__always) get { ShortText("oneway") } }
    static var more: ShortText { @inline(__always) get { ShortText("more") } }
    static var upgrade: ShortText { @inline(__always) get { ShortText("upgrade") } }
    static var continues: ShortText { @inline(__always) get { ShortText("continues") } }
    static var error: ShortText { @inline(__always) get { ShortText("error") } }
}

/// A decoder that splits a stream of bytes into messages and parses them.
@usableFromInline
struct MessageDecoder: Sendable {
    @usableFromInline var frames: FrameDecoder
    /// The values of the last message; the next message reuses their memory.
    private var nodes: [JSONText.Node] = []

    init(maximumLength: Int) {
        frames = FrameDecoder(maximumLength: maximumLength)
    }

    @inlinable var bufferedCount: Int { frames.bufferedCount }

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
