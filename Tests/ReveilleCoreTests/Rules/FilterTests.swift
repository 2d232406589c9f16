// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// Proximity, settling, and the number formats of drivers.
@Suite struct FilterTests {
    static let approaches: [(level: Double, values: [Double], near: [Bool])] = [
        (128, [127, 128, 127, 116, 115, 116, 128], [false, true, true, true, false, false, true]),
        (1, [0, 1, 1, 0, 0, 1], [false, true, true, false, false, true]),
        (5, [4, 5, 4.6, 4.5, 4, 4.9, 5], [false, true, true, true, false, false, true]),
    ]

    @Test(arguments: approaches)
    func nearBeginsAtTheLevelAndEndsBelowNineTenths(level: Double, values: [Double], near: [Bool]) throws {
        let rule = try #require(ProximityRule(nearLevel: level))
        var state = Proximity.unknown
        for (value, isNear) in zip(values, near) {
            state = rule.state(at: value, last: state)
            #expect(state == (isNear ? .near : .far), "at \(value)")
        }
    }

    @Test(arguments: [nil, 0, -3] as [Double?]) func levelThatIsNotPositiveIsInvalid(level: Double?) {
        #expect(ProximityRule(nearLevel: level) == nil)
    }

    @Test(
        arguments: [
            ("proximity-wifi", true), ("proximity-wifi-left\n", true), ("proximity-palmrest-right", true),
            ("proximity-lap", true), ("proximity-lte", true), ("proximity", false), ("", false), (nil, false),
        ] as [(String?, Bool)])
    func radioSensorsAreRecognized(label: String?, expected: Bool) {
        #expect(ProximityRule.isForRadio(label: label) == expected)
    }

    @Test func newValueIsDelayedUntilItIsStable() {
        var filter = SettleFilter<Int>(settle: .milliseconds(400))
        func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }
        #expect(filter.offer(1, at: at(0)) == 1)
        #expect(filter.offer(2, at: at(100)) == nil)
        #expect(filter.deadline == at(500))
        #expect(filter.offer(2, at: at(499)) == nil)
        #expect(filter.offer(2, at: at(500)) == 2)
        #expect(filter.offer(1, at: at(600)) == nil)
        #expect(filter.offer(3, at: at(700)) == nil)
        #expect(filter.deadline == at(1_100))
        #expect(filter.offer(2, at: at(800)) == nil)
        #expect(filter.deadline == nil)
    }

    @Test func everyValuePassesWithoutSettling() {
        var filter = SettleFilter<Int>(settle: .zero)
        #expect([1, 2, 2, 1].map { filter.offer($0, at: Instant(microseconds: 0)) } == [1, 2, nil, 1])
    }

    @Test(
        arguments: [
            ("42\n", 42), (" -25.6 ", -25.6), ("1e3", 1000), ("0.019163", 0.019163), ("", nil), ("NaN", nil),
            ("-NaN", nil),
            ("inf", nil), ("0x10", nil), ("12abc", nil), ("1,5", nil), ("--1", nil), ("\n", nil),
        ] as [(String, Double?)])
    func numbersAreParsedIndependentlyOfTheLocale(text: String, expected: Double?) {
        #expect(SysfsText.number(text) == expected)
    }
}
