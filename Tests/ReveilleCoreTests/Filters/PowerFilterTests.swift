// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The noise of a gauge is not a change.
@Suite struct PowerFilterTests {
    private func reading(_ change: (inout Power) -> Void = { _ in }) -> Power {
        var pack = Power.Pack(name: "BAT0")
        (pack.power, pack.energy, pack.energyFull, pack.voltage) = (-5, 30, 50, 11.4)
        (pack.temperature, pack.vendor) = (25, "SMP")
        var power = Power(packs: [pack])
        (power.power, power.energy, power.energyFull, power.secondsToEmpty) = (-5, 30, 50, 21_600)
        change(&power)
        return power
    }

    private func isReported(_ change: (inout Power) -> Void) -> Bool {
        var filter = PowerFilter()
        _ = filter.offer(reading())
        return filter.offer(reading(change)) != nil
    }

    @Test func noiseIsNotReported() {
        #expect(!isReported { _ in })
        #expect(!isReported { $0.power = -5.2 })
        #expect(!isReported { $0.energy = 29.9 })
        #expect(!isReported { $0.secondsToEmpty = 22_000 })
        #expect(!isReported { $0.packs[0].voltage = 11.45 })
        #expect(!isReported { $0.packs[0].temperature = 25.5 })
    }

    @Test func changesAreReported() {
        #expect(isReported { $0.power = -5.3 })
        #expect(isReported { $0.power = 5 })
        #expect(isReported { $0.power = nil })
        #expect(isReported { $0.energy = 29.7 })
        #expect(isReported { $0.secondsToEmpty = 24_000 })
        #expect(isReported { ($0.secondsToEmpty, $0.secondsToFull) = (nil, 100) })
        #expect(isReported { $0.health = 0.9 })
        #expect(isReported { $0.packs[0].temperature = 26 })
        #expect(isReported { $0.packs[0].vendor = "LG" })
        #expect(isReported { $0.packs[0].cycles = 1 })
        #expect(isReported { $0.packs = [] })
    }

    @Test func smallChangesAddUp() {
        var filter = PowerFilter()
        _ = filter.offer(reading())
        let reports = (1...10).count { step in filter.offer(reading { $0.energy = 30 - 0.1 * Double(step) }) != nil }
        #expect(reports == 3)
    }

    @Test func refreshedReadingPasses() {
        var filter = PowerFilter()
        _ = filter.offer(reading())
        let new = reading { $0.power = -5.01 }
        #expect(filter.pass(new) == new)
    }

    @Test func meanIsOfTheLastMinutesInOneDirection() {
        var mean = MeanPower()
        func take(_ power: Double?, _ second: Int64) -> Double? {
            mean.take(power, at: Instant(microseconds: second * 1_000_000))
        }
        #expect(take(-4, 0) == -4)
        #expect(take(-8, 10) == -6)
        // Reading more often does not give a sample more weight.
        #expect(take(-80, 11) == -6)
        #expect(take(-8, 200) == -8)
        #expect(take(3, 201) == 3)
        #expect(take(5, 206) == 4)
        #expect(take(0, 210) == 0)
        #expect(take(5, 211) == 5)
        #expect(take(nil, 212) == nil)
        #expect(take(-1, 213) == -1)
    }
}
