// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SampleClockTests {
    private var clock = SampleClock()
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    private let boot = Instant(microseconds: 60_000_000)

    @Test("B137: the time of a sample is the driver's") mutating func driverDecides() {
        let time = clock.time(1_799_999_999_990_000_128, now: now, boot: boot)
        #expect(time.microseconds == 1_799_999_999_990_000)
    }

    @Test("B137: times never decrease") mutating func timesNeverDecrease() {
        var last = clock.time(nil, now: now, boot: boot)
        for driver: Double? in [
            nil, 1_799_999_999_900_000_000, 1_800_000_000_500_000_000, 1_800_000_000_000_000_000, nil,
        ] {
            let time = clock.time(driver, now: now, boot: boot)
            #expect(time >= last)
            last = time
        }
        let earlier = Timestamp(microseconds: 5)
        #expect(clock.time(nil, now: earlier, boot: boot) == last)
    }

    @Test("B137: after the wall clock was set back by an hour, times go on with the time since boot")
    mutating func clockIsSetBack() {
        let first = clock.time(nil, now: now, boot: boot)
        var past = Timestamp(microseconds: now.microseconds - 3_600_000_000)
        for step: Int64 in 1...3 {
            past = Timestamp(microseconds: past.microseconds + 10_000)
            let time = clock.time(
                Double(past.microseconds) * 1_000, now: past, boot: Instant(microseconds: 60_000_000 + step * 10_000))
            #expect(time.microseconds == first.microseconds + step * 10_000)
        }
        // The wall clock is set right again.
        let later = Timestamp(microseconds: now.microseconds + 40_000)
        #expect(clock.time(nil, now: later, boot: Instant(microseconds: 60_040_000)) == later)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, -1, 9.3e18, 5_000_000_000])
    mutating func timesOfOtherClocksAreIgnored(driver: Double) {
        #expect(clock.time(driver, now: now, boot: boot) == now)
    }

    @Test func extremeTimesDoNotTrap() {
        for edge in [Int64.min, .max, 0] {
            var clock = SampleClock()
            _ = clock.time(9.2e21, now: Timestamp(microseconds: edge), boot: boot)
            _ = clock.time(-9.2e21, now: Timestamp(microseconds: edge), boot: boot)
        }
    }
}
