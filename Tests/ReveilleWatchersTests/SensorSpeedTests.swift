// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleWatchers
import Testing

/// The decision whether a sensor is read on the loop.
@Suite struct SensorSpeedTests {
    private var speed = SensorSpeed()

    private mutating func note(_ reads: Int64...) {
        for microseconds in reads { speed.note(microseconds) }
    }

    @Test("an unknown sensor is not quick until three reads in a row were") mutating func unknownSensorIsOnTrial() {
        #expect(!speed.isQuick)
        note(50, 2_000)
        #expect(!speed.isQuick)
        note(0)
        #expect(speed.isQuick)
    }

    @Test("a slow read starts the trial anew") mutating func slowReadRestartsTheTrial() {
        note(50, 50, 2_001, 50, 50)
        #expect(!speed.isQuick)
        note(50)
        #expect(speed.isQuick)
        note(1_000_000)
        #expect(!speed.isQuick)
    }

    @Test("a sensor that measures only sometimes is never quick") mutating func alternatingSensorIsNotQuick() {
        for _ in 0..<100 {
            note(50, 50, 6_000)
            #expect(!speed.isQuick)
        }
    }

    @Test("a change of pace starts the trial anew") mutating func restartRequiresATrial() {
        note(50, 50, 50)
        speed.restart()
        #expect(!speed.isQuick)
        note(50, 50)
        #expect(!speed.isQuick)
    }
}
