// SPDX-License-Identifier: Apache-2.0

/// The mean power of the last minutes, in one direction.
package struct MeanPower: Sendable {
    /// The period of the mean: long enough to ignore short loads, and short enough to follow a change of use.
    private static let memory: Duration = .seconds(180)
    /// The time between the samples: equal spacing gives each the same weight, however often the power is read.
    private static let spacing: Duration = .seconds(5)

    private var powers = RecentSamples(spacing: spacing, memory: memory)
    private var isCharging = false

    package init() {}

    /// Takes a power in watts, and returns the mean; an unknown power, or the other direction, ends the mean.
    package mutating func take(_ power: Double?, at now: Instant) -> Double? {
        guard let power, power != 0 else {
            powers.removeAll()
            return power
        }
        if isCharging != (power > 0) { powers.removeAll() }
        isCharging = power > 0
        powers.add(power, at: now)
        let values = powers.values
        return values.reduce(0, +) / Double(values.count)
    }
}
