// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// How full a pack is, and how much it weighs among several.
enum PackLevel {
    /// What the coarse words of `capacity_level` stand for, as UPower has them.
    private static let coarse = ["critical": 0.05, "low": 0.10, "normal": 0.55, "high": 0.70, "full": 1.0]

    /// The level of a pack, 0 to 1; `nil` when no attribute says it.
    ///
    /// The firmware of a MacBook gives a wrong `capacity`, so the ratio counts there.
    static func of(_ pack: PowerSupply, isMacBook: Bool) -> Double? {
        let ratio = ratio(pack)
        if isMacBook, let ratio { return ratio }
        // Some gauges say 0 until they are calibrated, while they know their energy.
        if let capacity = pack.number("capacity"), capacity >= 0, !(capacity == 0 && (ratio ?? 0) > 0) {
            return min(capacity / 100, 1)
        }
        return ratio ?? coarse[pack.word("capacity_level")]
    }

    /// The energy of a full pack in microwatt-hours; `nil` when it cannot be told.
    static func weight(_ pack: PowerSupply) -> Double? {
        if let energy = full(pack, "energy") { return energy }
        guard let charge = full(pack, "charge") else { return nil }
        let voltages = ["voltage_min_design", "voltage_max_design", "voltage_now"].lazy.compactMap { pack.number($0) }
        return voltages.first { $0 > 0 }.map { charge * $0 / 1e6 }
    }

    /// Energy and charge are never mixed: their units differ.
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
