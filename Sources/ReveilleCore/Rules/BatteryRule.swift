// SPDX-License-Identifier: Apache-2.0

/// Derives one reading from all power supplies; as in UIDevice, the state depends on being plugged in.
package enum BatteryRule {
    /// The level at which a plugged battery counts as full: a display rounds 99.5% to 100%.
    private static let fullLevel = 0.995

    /// Returns the reading for all entries of the class, peripherals included; ``Battery/unknown`` without a pack.
    ///
    /// The firmware of a MacBook reports a wrong `capacity`. The trend of ``energy(of:)`` only matters if nothing else
    /// shows whether the machine is plugged in.
    package static func reading(
        of supplies: [PowerSupply], isMacBook: Bool, trend: EnergyTrend.Direction? = nil
    ) -> Battery {
        let packs = supplies.filter(\.isPack).sorted { $0.name < $1.name }
        guard !packs.isEmpty else { return .unknown }
        let levels = packs.map { $0.level(isMacBook: isMacBook) }
        // The weight of a single pack would only add a rounding error.
        let level = packs.count == 1 ? levels[0] : total(levels, weights: packs.map { PackEnergy($0).capacity })
        let supplies = supplies.filter(\.isSupply)
        let isPlugged = isPlugged(packs: packs, supplies: supplies) ?? trend.map { $0 == .rising }
        return Battery(
            state: state(isPlugged, level, packs), level: level, isPlugged: isPlugged, chargeStatus: status(packs),
            packs: zip(packs, levels).map { pack, level in
                Battery.Pack(name: pack.name, level: level, chargeStatus: pack.chargeStatus)
            }, supply: supply(supplies))
    }

    /// Returns the kind of the supplies that are online.
    ///
    /// The firmware of a laptop that charges on USB also reports its adapter, which is of the type `Mains`. So the mains
    /// count if nothing else does, and a cable before a pad, as in chargers.
    private static func supply(_ supplies: [PowerSupply]) -> Battery.Supply? {
        let online = supplies.filter(\.isOnline).map(\.facts.supply)
        return [.usb, .wireless, .mains].first { online.contains($0) }
    }

    /// Returns whether ``PowerSupply/decisiveAttributes`` determine the reading, regardless of the other attributes.
    package static func isDetermined(_ supplies: [PowerSupply], isMacBook: Bool) -> Bool {
        let packs = supplies.filter(\.isPack)
        guard let pack = packs.first else { return true }
        // Several packs are weighted by their energy.
        guard packs.count == 1, !isMacBook, pack.facts.capacity ?? 0 > 0 else { return false }
        switch pack.chargeStatus {
        // Without a supply, a pack that reports `charging` may still be draining.
        case .charging: return supplies.contains { $0.isSupply && $0.isOnline }
        // Without any supply, only the trend of the energy shows whether the machine is plugged in.
        case .unknown: return supplies.contains(where: \.isSupply)
        case .discharging, .notCharging, .full: return true
        }
    }

    /// Returns whether there is a pack, and every pack has a level.
    package static func hasLevels(_ supplies: [PowerSupply], isMacBook: Bool) -> Bool {
        let packs = supplies.filter(\.isPack)
        return !packs.isEmpty && packs.allSatisfy { $0.level(isMacBook: isMacBook) != nil }
    }

    /// Returns the energy of all packs in watt-hours; `nil` if a pack does not report its energy.
    package static func energy(of supplies: [PowerSupply]) -> Double? {
        let energies = supplies.filter(\.isPack).map { PackEnergy($0).now }
        let known = energies.compactMap { $0 }
        return known.isEmpty || known.count < energies.count ? nil : known.reduce(0, +)
    }

    /// Returns the mean of the known levels, weighted by energy if every pack reports it.
    private static func total(_ levels: [Double?], weights: [Double?]) -> Double? {
        let known = levels.compactMap { $0 }
        guard !known.isEmpty else { return nil }
        let heavy = weights.compactMap { $0 }
        let weight = heavy.reduce(0, +)
        guard known.count == levels.count, heavy.count == weights.count else {
            return known.reduce(0, +) / Double(known.count)
        }
        return zip(known, heavy).reduce(0) { $0 + $1.0 * $1.1 } / weight
    }

    private static func isPlugged(packs: [PowerSupply], supplies: [PowerSupply]) -> Bool? {
        if supplies.contains(where: \.isOnline) { return true }
        if packs.contains(where: { $0.chargeStatus == .charging && !$0.isDraining }) { return true }
        if !supplies.isEmpty { return false }
        // Without supply devices only the packs show whether the machine is plugged in.
        let statuses = packs.map(\.chargeStatus)
        if statuses.contains(where: { $0 == .discharging || $0 == .charging }) { return false }
        return statuses.contains(where: { $0 == .full || $0 == .notCharging }) ? true : nil
    }

    private static func state(_ isPlugged: Bool?, _ level: Double?, _ packs: [PowerSupply]) -> Battery.State {
        guard let isPlugged else { return .unknown }
        guard isPlugged else { return .unplugged }
        let isFull = level.map { $0 >= fullLevel } ?? false || packs.allSatisfy { $0.chargeStatus == .full }
        return isFull ? .full : .charging
    }

    private static func status(_ packs: [PowerSupply]) -> Battery.ChargeStatus {
        let statuses = packs.map(\.chargeStatus)
        if statuses.contains(.charging) { return .charging }
        if statuses.contains(.discharging) { return .discharging }
        if statuses.allSatisfy({ $0 == .full }) { return .full }
        return statuses.contains(.notCharging) ? .notCharging : .unknown
    }
}
