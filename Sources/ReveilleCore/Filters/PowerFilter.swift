// SPDX-License-Identifier: Apache-2.0

/// Limits how finely the power is reported: a gauge never reports the same value twice.
package struct PowerFilter: Sendable {
    /// The smallest change of a power in watts, and as a fraction: a person notices no smaller change.
    private static let power = (step: 0.1, ratio: 0.05)
    /// The smallest change of an energy, as a fraction of the full energy: a display shows no smaller change.
    private static let energy = 0.005
    /// The smallest change of an energy in watt-hours, if the full energy is unknown.
    private static let energyStep = 0.1
    /// The smallest change of a time in seconds, and as a fraction: a display shows minutes, and the mean varies.
    private static let time = (step: 60.0, ratio: 0.05)
    /// The smallest change of a voltage in volts: a cell has 1 V between full and empty.
    private static let voltage = 0.1
    /// The smallest change of a temperature in degrees.
    private static let temperature = 1.0
    /// The smallest change of the health: a display shows percent.
    private static let health = 0.01

    private var reported: Power?

    package init() {}

    /// Filters a reading; returns it if it is reported, and `nil` if too little has changed since the last report.
    package mutating func offer(_ reading: Power) -> Power? {
        if let reported, Self.isSimilar(reported, reading) { return nil }
        return pass(reading)
    }

    /// Passes a reading however little has changed, for a refresh.
    package mutating func pass(_ reading: Power) -> Power {
        reported = reading
        return reading
    }

    private static func isSimilar(_ one: Power, _ other: Power) -> Bool {
        isSimilarPower(one.power, other.power)
            && isSimilarEnergy(one.energy, other.energy, of: one.energyFull)
            && isSimilarEnergy(one.energyFull, other.energyFull, of: one.energyFull)
            && differ(one.health, other.health, lessThan: health)
            && isSimilarTime(one.secondsToEmpty, other.secondsToEmpty)
            && isSimilarTime(one.secondsToFull, other.secondsToFull)
            && one.packs.elementsEqual(other.packs, by: isSimilar)
    }

    private static func isSimilar(_ one: Power.Pack, _ other: Power.Pack) -> Bool {
        one.name == other.name && one.vendor == other.vendor && one.model == other.model
            && one.technology == other.technology && one.cycles == other.cycles
            && isSimilarPower(one.power, other.power)
            && isSimilarEnergy(one.energy, other.energy, of: one.energyFull)
            && isSimilarEnergy(one.energyFull, other.energyFull, of: one.energyFull)
            && isSimilarEnergy(one.energyFullDesign, other.energyFullDesign, of: one.energyFullDesign)
            && differ(one.voltage, other.voltage, lessThan: voltage)
            && differ(one.temperature, other.temperature, lessThan: temperature)
    }

    private static func isSimilarPower(_ one: Double?, _ other: Double?) -> Bool {
        differ(one, other, lessThan: max(power.step, abs(one ?? 0) * power.ratio))
    }

    private static func isSimilarEnergy(_ one: Double?, _ other: Double?, of full: Double?) -> Bool {
        differ(one, other, lessThan: full.map { $0 * energy } ?? energyStep)
    }

    private static func isSimilarTime(_ one: Int?, _ other: Int?) -> Bool {
        let (one, other) = (one.map(Double.init), other.map(Double.init))
        return differ(one, other, lessThan: max(time.step, (one ?? 0) * time.ratio))
    }

    /// Returns whether two values differ by less than a step, or both are unknown.
    private static func differ(_ one: Double?, _ other: Double?, lessThan step: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) < step
    }
}
