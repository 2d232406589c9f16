// SPDX-License-Identifier: Apache-2.0

/// A message of netlink(7).
package struct NetlinkMessage: Sendable, Hashable {
    private static let headerSize = 16

    /// The type, such as RTM_NEWROUTE.
    package var type: UInt16
    package var flags: UInt16 = 0
    /// The bytes after the header.
    package var payload: ArraySlice<UInt8>

    /// Whether the message ends the answer to a request.
    package var isEnd: Bool { type == 3 }
    /// Whether the tables changed while they were being sent, so that the answer is inconsistent (NLM_F_DUMP_INTR).
    package var isInconsistent: Bool { flags & 0x10 != 0 }
    /// The error number of a failed request; 0 for an acknowledgment, `nil` for other messages.
    package var errorNumber: Int32? {
        // The kernel writes negative numbers.
        type == 2
            ? payload.integer(at: 0).map { (number: UInt32) in Int32(clamping: -Int64(Int32(bitPattern: number))) }
            : nil
    }

    /// Parses the messages of a datagram, up to the first message whose length is wrong.
    package static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram[...]
        while let length: UInt32 = rest.integer(at: 0), headerSize <= length, length <= rest.count,
            let type: UInt16 = rest.integer(at: 4), let flags: UInt16 = rest.integer(at: 6)
        {
            let end = rest.startIndex + Int(length)
            messages.append(
                NetlinkMessage(type: type, flags: flags, payload: rest[rest.startIndex + headerSize..<end]))
            rest = rest.dropFirst(NetlinkAttribute.aligned(Int(length)))
        }
        return messages
    }

    /// The message with its header, as in a datagram.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(native: UInt32(Self.headerSize + payload.count))
        bytes.append(native: type)
        bytes.append(native: flags)
        // The number of the request and the port of its sender, which notifications lack.
        bytes += Array(repeating: 0, count: Self.headerSize - bytes.count)
        bytes += payload
        return bytes + Array(repeating: 0, count: NetlinkAttribute.aligned(bytes.count) - bytes.count)
    }
}

extension ArraySlice<UInt8> {
    /// Returns the integer at an offset from the start, in the machine's byte order; `nil` if bytes are missing.
    func integer<Value: FixedWidthInteger & UnsignedInteger>(at offset: Int) -> Value? {
        let size = Value.bitWidth / 8
        guard offset + size <= count else { return nil }
        let bytes = self[startIndex + offset..<startIndex + offset + size]
        return Value(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | Value($1) })
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The bytes in the machine's order.
    var nativeBytes: [UInt8] {
        stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: littleEndian >> Self($0)) }
    }
}

extension [UInt8] {
    /// Appends an integer in the machine's byte order.
    mutating func append(native value: some FixedWidthInteger & UnsignedInteger) {
        self += value.nativeBytes
    }
}

/// An attribute in the payload of a ``NetlinkMessage``.
struct NetlinkAttribute {
    private static let headerSize = 4
    /// The bits of the type; the others are flags.
    private static let typeMask: UInt16 = 0x3FFF

    let type: UInt16
    let value: ArraySlice<UInt8>

    /// Returns a length with the padding that follows it.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    /// Parses attributes; the first attribute with a wrong length, and everything after it, is omitted.
    static func attributes(in bytes: ArraySlice<UInt8>) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        var rest = bytes
        while let length: UInt16 = rest.integer(at: 0), headerSize <= length, length <= rest.count,
            let type: UInt16 = rest.integer(at: 2)
        {
            let end = rest.startIndex + Int(length)
            attributes.append(
                NetlinkAttribute(type: type & typeMask, value: rest[rest.startIndex + headerSize..<end]))
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return attributes
    }

    static func bytes(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(native: UInt16(headerSize + value.count))
        bytes.append(native: type)
        bytes += value
        return bytes + Array(repeating: 0, count: aligned(bytes.count) - bytes.count)
    }

    /// The text of a string, which may end in a NUL byte.
    var text: String { value.prefix { $0 != 0 }.text }
}
