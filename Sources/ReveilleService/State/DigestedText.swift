// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Text of a file that begins with its digest, so that damage is noticed.
enum DigestedText {
    static func encode(_ text: [UInt8]) -> [UInt8] {
        Array(String(Digest(of: text).value, radix: 16).utf8) + [UInt8(ascii: " ")] + text
    }

    /// Returns the text after its digest; `nil` if it is damaged.
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            let digest = UInt64(String(decoding: bytes[..<space], as: UTF8.self), radix: 16)
        else { return nil }
        let text = Array(bytes[(space + 1)...])
        return Digest(of: text).value == digest ? text : nil
    }
}
