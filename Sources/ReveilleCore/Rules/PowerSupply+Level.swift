// SPDX-License-Identifier: Apache-2.0

/// The level of a pack, and its weight among several.
extension PowerSupply {
    /// The levels for the words of `capacity_level`, as in UPower.
    private static let coarse = [("critical", 0.05), ("low", 0.10), ("normal", 0.55), ("high", 0.70), ("full", 1.0)]

    /// Returns the level of a pack, 0 to 1; `nil` if no attribute determines it.
    ///
    /// The firmware of a MacBook reports a wrong `capacity`, so the ratio is used there.
    func level(isMacBook: Bool) -> Double? {
        let capacity = facts.capacity
        if let capacity, capacity > 0, !isMacBook { return min(capacity / 100, 1) }
        let ratio = ratio
        if isMacBook, let ratio { return ratio }
        // Some gauges report a capacity of 0 until they are calibrated, but a correct energy.
        if let capacity, capacity >= 0, !(capacity == 0 && (ratio ?? 0) > 0) { return min(capacity / 100, 1) }
        return ratio ?? coarseLevel
    }

    private var coarseLevel: Double? {
        guard let text = attributes["capacity_level"] else { return nil }
        return Self.coarse.first { SysfsText.isWord(text, $0.0) }?.1
    }

    /// The energy of a full pack in microwatt-hours; `nil` if it is unknown.
    var fullEnergy: Double? {
        full("energy") ?? full("charge").flatMap(energy)
    }

    /// The energy of a pack now in microwatt-hours; `nil` if it is unknown.
    var presentEnergy: Double? {
        now("energy").map(abs) ?? now("charge").flatMap { energy(ofCharge: abs($0)) }
    }

    private func energy(ofCharge charge: Double) -> Double? {
        firstPositive(["voltage_min_design", "voltage_max_design", "voltage_now"]).map { charge * $0 / 1e6 }
    }

    /// The ratio of the present to the full energy or charge, which are never mixed, since their units differ.
    private var ratio: Double? {
        for unit in ["energy", "charge"] {
            guard let now = now(unit), let full = full(unit) else { continue }
            return min(abs(now) / full, 1)
        }
        return nil
    }

    private func now(_ unit: String) -> Double? {
        number(unit + "_now") ?? number(unit + "_avg")
    }

    private func full(_ unit: String) -> Double? {
        firstPositive([unit + "_full", unit + "_full_design"])
    }

    private func firstPositive(_ attributes: [String]) -> Double? {
        attributes.lazy.compactMap(number).first { $0 > 0 }
    }
}
