// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleViewCore
import Testing

/// The secret in the address.
@Suite struct AccessTokenTests {
    @Test("a token is 32 hexadecimal digits, and matches only itself") func matching() throws {
        let token = AccessToken(random: Array(0..<16))
        #expect(token.description == "000102030405060708090a0b0c0d0e0f")
        #expect(token.matches(token.description))
        // Each digit counts.
        for index in 0..<32 {
            var digits = Array(token.description.utf8)
            digits[index] = digits[index] == UInt8(ascii: "f") ? UInt8(ascii: "e") : UInt8(ascii: "f")
            #expect(!token.matches(String(decoding: digits, as: UTF8.self)), "digit \(index)")
        }
        for text in ["", "0", token.description + "0", String(token.description.dropLast()), "é"] {
            #expect(!token.matches(text))
        }
    }

    @Test("anything but 32 lowercase digits is not a token") func parsing() {
        #expect(AccessToken(String(repeating: "a", count: 32)) != nil)
        for text in [
            "", String(repeating: "A", count: 32), String(repeating: "a", count: 31), String(repeating: "g", count: 32),
        ] {
            #expect(AccessToken(text) == nil, "\(text)")
        }
    }
}
