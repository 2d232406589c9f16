// SPDX-License-Identifier: Apache-2.0

/// The level of a pack.
extension PowerSupply {
    /// The levels for the words of `capacity_level`, as in UPower.
    private static let coarse = [("critical", 0.05), ("low", 0.10), ("normal", 0.55), ("high", 0.70), ("full", 1.0)]

    /// Returns the level of a pack, 0 to 1; `nil` if no attribute determines it.
    ///
    /// The firmware of a MacBook reports a wrong `capacity`, so the ratio is used there.
    func level(isMacBook: Bool) -> Double? {
        let level = facts.capacity.map { $0 / 100 }
        if let level, level > 0, !isMacBook { return level }
        // Some gauges report a capacity of 0 until they are calibrated, but a correct energy.
        if let ratio, isMacBook || ratio > 0 { return ratio }
        return level ?? ratio ?? coarseLevel
    }

    private var coarseLevel: Double? {
        guard let text = attributes["capacity_level"] else { return nil }
        return Self.coarse.first { SysfsText.isWord(text, $0.0) }?.1
    }

    /// The ratio of the present to the full energy or charge, which are never mixed, since their units differ.
    ///
    /// A scale that is too small for both does not matter.
    private var ratio: Double? {
        for unit in ["energy", "charge"] {
            let fulls = [unit + "_full", unit + "_full_design"].compactMap(number).filter {
                $0 > 0 && $0 <= SupplyQuantity.limit(of: unit + "_full")
            }
            guard let now = number(unit + "_now") ?? number(unit + "_avg"), let full = fulls.first else { continue }
            let ratio = abs(now) / full
            return ratio <= PackEnergy.greatestLevel ? min(ratio, 1) : nil
        }
        return nil
    }
}
