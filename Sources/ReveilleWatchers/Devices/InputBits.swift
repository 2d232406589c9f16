// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A bit mask as sysfs writes it: hexadecimal words of 64 bits, the most significant first.
package struct InputBits {
    private let words: [UInt64]

    /// Reads a mask; an invalid word has no bits set.
    package init(_ text: String) {
        words = SysfsText.words(text).reversed().map { UInt64($0, radix: 16) ?? 0 }
    }

    package func contains(_ bit: Int) -> Bool {
        bit / 64 < words.count && words[bit / 64] & (1 << UInt64(bit % 64)) != 0
    }
}
