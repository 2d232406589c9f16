// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct ProximityRuleTests {
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

    static let departures: [(level: Double, values: [Double], near: [Bool])] = [
        (0, [0, 1, 0, 0], [true, false, true, true]), (5, [9, 5, 5.5, 5.6, 5.5], [false, true, true, false, false]),
        (90, [91, 90, 100, 101, 100, 90], [false, true, true, false, false, true]),
    ]

    @Test(arguments: departures)
    func distanceIsNearUpToTheLevelAndEndsBeyondIt(level: Double, values: [Double], near: [Bool]) throws {
        let rule = try #require(ProximityRule(nearLevel: level, isDistance: true))
        var state = Proximity.unknown
        for (value, isNear) in zip(values, near) {
            state = rule.state(at: value, last: state)
            #expect(state == (isNear ? .near : .far), "at \(value)")
        }
        #expect(ProximityRule(nearLevel: -1, isDistance: true) == nil)
    }

    @Test(arguments: [nil, 0, -3] as [Double?]) func levelThatIsNotPositiveIsRejected(level: Double?) {
        #expect(ProximityRule(nearLevel: level) == nil)
    }

    @Test(
        arguments: [
            ("proximity-wifi", true), ("proximity-wifi-left\n", true), ("proximity-palmrest-right", true),
            ("proximity-lap", true), ("proximity-lte", true), ("proximity", false), ("", false), (nil, false),
        ] as [(String?, Bool)])
    func sensorsForTheRadioAreRecognized(label: String?, expected: Bool) {
        #expect(ProximityRule.isForRadio(label: label) == expected)
    }
}
