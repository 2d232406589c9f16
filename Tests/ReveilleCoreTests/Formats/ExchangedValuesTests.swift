// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing

@testable import ReveilleCore

@Suite struct ExchangedValuesTests {
    @Test("two keys of 1,000 whose values are exchanged are other settings") func exchangedValuesAreNoticed() {
        let values = (0..<1_000).map { UInt64($0) &* 0x9e37_79b9_7f4a_7c15 }
        func digest(_ values: [UInt64]) -> UInt64? {
            let keys = values.enumerated().map { ("k\($0.offset)", $0.element) }
            return Reading.settings(["app": Dictionary(uniqueKeysWithValues: keys)]).digest
        }
        let before = digest(values)
        for key in 1..<values.count {
            var exchanged = values
            exchanged.swapAt(0, key)
            #expect(digest(exchanged) != before)
        }
    }
}
