// SPDX-License-Identifier: Apache-2.0

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
