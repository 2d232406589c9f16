// SPDX-License-Identifier: Apache-2.0

import ReveilleWatchers
import Testing

/// The decision whether a sensor is read on the loop.
@Suite struct SensorSpeedTests {
    @Test(
        "a sensor is quick after three quick reads in a row, and a slow one starts the trial anew",
        arguments: [
            ([], false), ([50, 2_000], false), ([50, 2_000, 0], true), ([50, 50, 2_001, 50, 50], false),
            ([50, 50, 2_001, 50, 50, 50], true), ([50, 50, 50, 1_000_000], false), ([50, 50, 6_000, 50, 50], false),
        ] as [([Int64], Bool)])
    func trial(reads: [Int64], isQuick: Bool) {
        var speed = SensorSpeed()
        for microseconds in reads { speed.note(microseconds) }
        #expect(speed.isQuick == isQuick)
    }

    @Test("a change of pace starts the trial anew") func restartRequiresATrial() {
        var speed = SensorSpeed()
        for _ in 0..<3 { speed.note(50) }
        speed.restart()
        #expect(!speed.isQuick)
        for _ in 0..<2 { speed.note(50) }
        #expect(!speed.isQuick)
    }
}
