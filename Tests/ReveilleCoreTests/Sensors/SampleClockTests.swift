// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

/// The times of samples.
@Suite struct SampleClockTests {
    private var clock = SampleClock()
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    @Test("B137: the time of a sample is the driver's") mutating func driverDecides() {
        let time = clock.time(1_799_999_999_990_000_128, now: now)
        #expect(time.microseconds == 1_799_999_999_990_000)
    }

    @Test("B137: times never decrease") mutating func timesNeverDecrease() {
        var last = clock.time(nil, now: now)
        for driver: Double? in [
            nil, 1_799_999_999_900_000_000, 1_800_000_000_500_000_000, 1_800_000_000_000_000_000, nil,
        ] {
            let time = clock.time(driver, now: now)
            #expect(time >= last)
            last = time
        }
        let earlier = Timestamp(microseconds: 5)
        #expect(clock.time(nil, now: earlier) == last)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, -1, 9.3e18, 5_000_000_000])
    mutating func timesOfOtherClocksAreIgnored(driver: Double) {
        #expect(clock.time(driver, now: now) == now)
    }

    @Test func extremeTimesDoNotTrap() {
        for edge in [Int64.min, .max, 0] {
            var clock = SampleClock()
            _ = clock.time(9.2e21, now: Timestamp(microseconds: edge))
            _ = clock.time(-9.2e21, now: Timestamp(microseconds: edge))
        }
    }
}
