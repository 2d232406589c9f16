// SPDX-License-Identifier: Apache-2.0

/// The 64-bit digest FNV-1a: the same for the same bytes on every machine and in every run.
///
/// It detects accidental changes; it does not protect against deliberate collisions.
/// See http://www.isthe.com/chongo/tech/comp/fnv/.
package struct Digest: Sendable, Hashable {
    /// The digest of the bytes added so far.
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The digest with all bits depending on all others, for sums.
    ///
    /// The lowest byte of FNV-1a depends on the lowest bytes alone. In a sum of plain digests, an exchange of two values
    /// goes unnoticed once in 256 times.
    var scrambled: UInt64 {
        var word = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    package init() {}

    package init(of bytes: [UInt8]) {
        combine(bytes: bytes)
    }

    package mutating func combine(bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }

    /// Adds a number, least significant byte first.
    package mutating func combine(_ number: UInt64) {
        combine(bytes: (0..<8).lazy.map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// Adds a byte for the kind of the part that follows.
    mutating func combine(kind: UInt8) {
        combine(bytes: CollectionOfOne(kind))
    }

    /// Adds text, preceded by its length.
    mutating func combine(text: String) {
        combine(UInt64(text.utf8.count))
        combine(bytes: text.utf8)
    }
}
