// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The level of a pack, and its weight among several.
enum PackLevel {
    /// The levels for the words of `capacity_level`, as in UPower.
    private static let coarse = ["critical": 0.05, "low": 0.10, "normal": 0.55, "high": 0.70, "full": 1.0]

    /// Returns the level of a pack, 0 to 1; `nil` if no attribute determines it.
    ///
    /// The firmware of a MacBook reports a wrong `capacity`, so the ratio is used there.
    static func of(_ pack: PowerSupply, isMacBook: Bool) -> Double? {
        let ratio = ratio(pack)
        if isMacBook, let ratio { return ratio }
        // Some gauges report a capacity of 0 until they are calibrated, but a correct energy.
        if let capacity = pack.number("capacity"), capacity >= 0, !(capacity == 0 && (ratio ?? 0) > 0) {
            return min(capacity / 100, 1)
        }
        return ratio ?? coarse[pack.word("capacity_level")]
    }

    /// Returns the energy of a full pack in microwatt-hours; `nil` if it is unknown.
    static func weight(_ pack: PowerSupply) -> Double? {
        if let energy = full(pack, "energy") { return energy }
        guard let charge = full(pack, "charge") else { return nil }
        let voltages = ["voltage_min_design", "voltage_max_design", "voltage_now"].lazy.compactMap { pack.number($0) }
        return voltages.first { $0 > 0 }.map { charge * $0 / 1e6 }
    }

    /// Returns the ratio of the present to the full energy or charge, which are never mixed, since their units differ.
    private static func ratio(_ pack: PowerSupply) -> Double? {
        for unit in ["energy", "charge"] {
            guard let now = pack.number(unit + "_now") ?? pack.number(unit + "_avg"), let full = full(pack, unit)
            else { continue }
            return min(abs(now) / full, 1)
        }
        return nil
    }

    private static func full(_ pack: PowerSupply, _ unit: String) -> Double? {
        [unit + "_full", unit + "_full_design"].lazy.compactMap { pack.number($0) }.first { $0 > 0 }
    }
}
