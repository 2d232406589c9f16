// SPDX-License-Identifier: Apache-2.0

/// The energies of a pack in watt-hours, from either its energies or its charges, which are never mixed.
struct PackEnergy {
    private(set) var now: Double?
    private(set) var full: Double?
    /// The energy of the full pack when it was new.
    private(set) var design: Double?
    /// The energy of the full pack, or at least of the pack when it was new.
    var capacity: Double? { full ?? design }
    /// The ratio of the full to the new pack, which needs no voltage.
    private(set) var health: Double?

    /// A pack is never charged this many times over, so the numbers have different units.
    static let greatestLevel = 2.0
    /// No new pack holds this many times its design capacity, so one of the two numbers is wrong.
    private static let greatestHealth = 1.5

    /// Takes the energies of a pack; implausible energies become `nil`.
    init(_ pack: PowerSupply) {
        for unit in ["energy", "charge"] {
            take(unit, of: pack)
            if now != nil || full != nil || design != nil { break }
        }
        health = full.flatMap { full in design.map { full / $0 } }.flatMap {
            $0 <= Self.greatestHealth ? min($0, 1) : nil
        }
        guard usesCharge else { return }
        // Charges cannot be converted without a voltage.
        let voltage = Self.voltage(of: pack)
        now = Self.product(now, voltage)
        full = Self.product(full, voltage)
        design = Self.product(design, voltage)
    }

    private var usesCharge = false

    private mutating func take(_ unit: String, of pack: PowerSupply) {
        let names = [unit + "_full", unit + "_full_design"]
        // A scale that is wrong for the full pack is wrong for its energy now. A 0 only means that it is unknown.
        let isScaleWrong = names.contains {
            (pack.number($0) ?? 0) > 0 && SupplyQuantity.value($0, of: pack) == nil
        }
        if isScaleWrong { return }
        usesCharge = unit == "charge"
        full = SupplyQuantity.value(names[0], of: pack)
        design = SupplyQuantity.value(names[1], of: pack)
        now = SupplyQuantity.value(unit + "_now", of: pack) ?? SupplyQuantity.value(unit + "_avg", of: pack)
        if let now, let full = full ?? design, now > Self.greatestLevel * full { self.now = nil }
    }

    /// Returns the voltage that converts a charge to an energy, as for the weights of packs.
    static func voltage(of pack: PowerSupply) -> Double? {
        ["voltage_min_design", "voltage_max_design", "voltage_now"].lazy
            .compactMap { SupplyQuantity.value($0, of: pack) }.first
    }

    /// Returns the energy of a charge; each factor can be right, but not both.
    private static func product(_ charge: Double?, _ voltage: Double?) -> Double? {
        guard let charge, let voltage, charge * voltage <= SupplyQuantity.greatestEnergy else { return nil }
        return charge * voltage
    }
}
