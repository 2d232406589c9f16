// SPDX-License-Identifier: Apache-2.0

/// The secret in the address of the page, which admits its holder.
///
/// A connection over TCP does not reveal its user. Without a token, every account of the machine could read the page.
package struct AccessToken: Sendable, CustomStringConvertible {
    /// The length in bytes: 128 bits cannot be guessed.
    package static let length = 16

    private let digits: [UInt8]

    package init(random bytes: [UInt8]) {
        precondition(bytes.count == Self.length, "a token has \(Self.length) bytes")
        let alphabet = Array("0123456789abcdef".utf8)
        digits = bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }
    }

    /// Returns whether a text is the token, in a time that does not depend on its bytes.
    ///
    /// A comparison that ends at the first difference would reveal one digit after the other. Only the length of the
    /// text affects the time.
    package func matches(_ text: some StringProtocol) -> Bool {
        let other = Array(text.utf8)
        guard other.count == digits.count else { return false }
        var difference: UInt8 = 0
        for index in digits.indices { difference |= digits[index] ^ other[index] }
        return difference == 0
    }

    package var description: String { String(decoding: digits, as: UTF8.self) }
}
