// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The direction of the energy, for packs without a status.
@Suite struct EnergyTrendTests {
    private func direction(_ readings: (Double?, second: Double)...) -> EnergyTrend.Direction? {
        var trend = EnergyTrend()
        var direction: EnergyTrend.Direction?
        for (energy, second) in readings {
            direction = trend.take(energy, at: Instant(microseconds: Int64((second + 100) * 1e6)))
        }
        return direction
    }

    @Test func directionNeedsTwoReadings() {
        #expect(direction((30, 0)) == nil)
        #expect(direction((nil, 0), (30, 30)) == nil)
    }

    @Test func fallingAndRisingEnergyHaveADirection() {
        #expect(direction((30, 0), (29.99, 30)) == .falling)
        #expect(direction((30, 0), (30.01, 30)) == .rising)
    }

    @Test func readingsLessThanFifteenSecondsApartHaveNone() {
        #expect(direction((30, 0), (29.9, 14.9)) == nil)
        #expect(direction((30, 0), (29.9, 15)) == .falling)
    }

    @Test func lessThanHalfAWattIsNone() {
        // 0.49 and 0.5 W during an hour's 240th part.
        #expect(direction((30, 0), (30 - 0.49 / 240, 15)) == nil)
        #expect(direction((30, 0), (30 - 0.51 / 240, 15)) == .falling)
        #expect(direction((30, 0), (30, 60)) == nil)
    }

    @Test func readingsInBetweenDoNotHideADirection() {
        #expect(direction((30, 0), (30, 1), (30, 5), (30, 10), (30, 14), (29.9, 16)) == .falling)
        #expect(direction((30, 0), (30, 30), (30, 31), (29.9, 46)) == .falling)
    }

    @Test func directionLastsTwoMinutesWithoutConfirmation() {
        #expect(direction((30, 0), (29.9, 20), (29.9, 50), (29.9, 80)) == .falling)
        #expect(direction((30, 0), (29.9, 20), (29.9, 50), (29.9, 80), (29.9, 141)) == nil)
        #expect(direction((30, 0), (29.9, 20), (30, 50)) == .rising)
    }

    @Test func readingsFromBeforeALongSleepAreNotCompared() {
        #expect(direction((30, 0), (20, 3_600)) == nil)
        #expect(direction((30, 0), (29.9, 20), (25, 3_600)) == nil)
    }

    @Test func anotherPackHasNoDirection() {
        #expect(direction((30, 0), (10, 20)) == nil)
        #expect(direction((30, 0), (nil, 10), (29.9, 20)) == nil)
    }

    @Test(arguments: [0, 1e308, -1e308, .infinity, .nan, .leastNonzeroMagnitude])
    func anyNumberIsAllowed(energy: Double) {
        #expect(direction((energy, 0), (-energy, 20), (energy, 40)) == nil)
    }
}
