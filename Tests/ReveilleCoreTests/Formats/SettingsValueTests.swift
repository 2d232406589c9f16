// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SettingsValueTests {
    @Test func digestsMatchThoseOfTheReference() {
        // Test vectors for 64-bit FNV-1a by the authors of FNV.
        #expect(Digest().value == 0xcbf2_9ce4_8422_2325)
        #expect(Digest(of: Array("a".utf8)).value == 0xaf63_dc4c_8601_ec8c)
        #expect(Digest(of: Array("foobar".utf8)).value == 0x8594_4171_f739_67e8)
    }

    @Test func fingerprintsStayTheSameAfterARestart() {
        // Recorded once, because fingerprints in existing state files must remain comparable.
        #expect(SettingsValue.string("dark").fingerprint == 5_444_925_056_249_120_744)
        let value = SettingsValue.dictionary(["a": .integer(1), "b": .array([.bool(true), .null])])
        #expect(value.fingerprint == 13_402_376_940_359_725_705)
    }

    @Test(arguments: [
        (SettingsValue.integer(1), SettingsValue.real(1)),
        (.integer(0), .real(-0.0)),
        (.integer(1 << 64), .real(0x1p64)),
        (.dictionary(["a": .integer(1), "b": .integer(2)]), .dictionary(["b": .real(2), "a": .real(1)])),
    ])
    func equalValuesHaveEqualFingerprints(one: SettingsValue, other: SettingsValue) {
        #expect(one.fingerprint == other.fingerprint)
    }

    @Test func differentValuesHaveDifferentFingerprints() {
        let values: [SettingsValue] = [
            .null, .bool(false), .bool(true), .integer(0), .integer(1), .integer(-1), .integer(1 << 64), .real(0.5),
            .real(.infinity), .string(""), .string("0"), .string("null"), .date(0), .date(1), .data([]), .data([0]),
            .data([0, 0]), .array([]), .array([.null]), .array([.array([])]), .array([.null, .null]), .dictionary([:]),
            .dictionary(["": .null]), .dictionary(["a": .null]), .dictionary(["a": .string("b")]),
            .dictionary(["a": .string(""), "b": .null]), .array([.string("ab"), .string("c")]),
            .array([.string("a"), .string("bc")]), .array([.string("a"), .string("b"), .string("c")]),
        ]
        #expect(Set(values.map(\.fingerprint)).count == values.count)
    }

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
