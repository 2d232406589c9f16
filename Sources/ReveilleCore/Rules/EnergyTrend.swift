// SPDX-License-Identifier: Apache-2.0

/// The direction in which the energy of all packs changes, for drivers that report no status.
package struct EnergyTrend: Sendable {
    package enum Direction: Sendable {
        case rising, falling
    }

    /// The shortest time between two readings that are compared: gauges take seconds from one value to the next.
    private static let shortestTime: Duration = .seconds(15)
    /// The least power in watts that counts; less may be the gauge's noise (the same limit as in UPower).
    private static let leastPower = 0.5
    /// The greatest power in watts that counts: no charger delivers more, so the pack is new, or the gauge recalibrated.
    private static let greatestPower = 500.0
    /// How long a reading is compared, and how long an unconfirmed direction lasts: several polls at the default
    /// interval, since coarse gauges pause between their steps.
    private static let memory: Duration = .seconds(120)
    /// The time between the readings that are kept: a third of the shortest time.
    private static let spacing: Duration = .seconds(5)

    private var energies = RecentSamples(spacing: spacing, memory: memory)
    private var last: (direction: Direction, time: Instant)?

    package init() {}

    /// Takes the energy in watt-hours; returns the direction, `nil` while unknown, as after an unknown energy.
    package mutating func take(_ energy: Double?, at now: Instant) -> Direction? {
        guard let energy, energy.isFinite else {
            self = EnergyTrend()
            return nil
        }
        energies.expire(at: now)
        if let last, now > last.time + Self.memory { self.last = nil }
        if let before = energies.newest(olderThan: Self.shortestTime, at: now) {
            let hours = (now - before.time) / .seconds(3_600)
            let power = (energy - before.value) / hours
            if abs(power) > Self.greatestPower { self = EnergyTrend() }
            if Self.leastPower...Self.greatestPower ~= abs(power) { last = (power > 0 ? .rising : .falling, now) }
        }
        energies.add(energy, at: now)
        return last?.direction
    }
}
