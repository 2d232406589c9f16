// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SysfsTextTests {
    @Test(
        arguments: [
            ("42\n", 42), (" -25.6 ", -25.6), ("1e3", 1000), ("0.019163", 0.019163), ("", nil), ("NaN", nil),
            ("-NaN", nil),
            ("inf", nil), ("0x10", nil), ("12abc", nil), ("1,5", nil), ("--1", nil), ("\n", nil),
        ] as [(String, Double?)])
    func numbersAreReadTheSameInEveryLocale(text: String, expected: Double?) {
        #expect(SysfsText.number(text) == expected)
    }
}
