// SPDX-License-Identifier: Apache-2.0

package struct IPAddress: Sendable, Hashable {
    /// The families of socket.h.
    package enum Family {
        package static let version4: UInt8 = 2
        package static let version6: UInt8 = 10
    }

    /// The bytes in network order: 4 or 16.
    package let bytes: [UInt8]

    /// Creates an address; `nil` if the family is unknown, or the number of bytes does not fit it.
    package init?(family: UInt8, _ bytes: some Collection<UInt8>) {
        guard (family, bytes.count) == (Family.version4, 4) || (family, bytes.count) == (Family.version6, 16) else {
            return nil
        }
        self.bytes = Array(bytes)
    }

    package var isVersion6: Bool { bytes.count == 16 }
    var family: UInt8 { isVersion6 ? Family.version6 : Family.version4 }

    /// Whether the address is valid only on its link: 169.254.0.0/16 and fe80::/10.
    package var isLinkLocal: Bool {
        isVersion6 ? bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 : bytes[0] == 169 && bytes[1] == 254
    }
}

extension IPAddress: Comparable {
    /// Orders IPv4 before IPv6, and each by its bytes.
    package static func < (one: IPAddress, other: IPAddress) -> Bool {
        one.bytes.count == other.bytes.count
            ? one.bytes.lexicographicallyPrecedes(other.bytes) : one.bytes.count < other.bytes.count
    }
}

extension IPAddress: CustomStringConvertible {
    /// The text: `192.0.2.7`, or the canonical form of IPv6 (RFC 5952), `2001:db8::7`.
    package var description: String {
        guard isVersion6 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let text = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard let zeros = Self.longestZeros(in: groups) else { return text(groups[...]) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    /// The first of the longest runs of at least two zeros.
    private static func longestZeros(in groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<1
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<index + 1
            }
        }
        return longest.count > 1 ? longest : nil
    }
}
