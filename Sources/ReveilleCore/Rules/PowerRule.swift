// SPDX-License-Identifier: Apache-2.0

package enum PowerRule {
    /// The greatest power of a pack in watts; a greater value is in another unit.
    private static let greatestPower = 500.0
    /// The least mean power in watts that yields a time; less is noise.
    private static let leastPower = 0.01
    /// The longest time in seconds that is reported, ten days: a longer time means that the power is in another unit.
    private static let longestTime = 864_000.0
    /// The decimal places of values: less than a milliwatt is noise.
    private static let precision = 1_000.0

    /// Returns the reading without the times, which depend on earlier readings; ``Power/unknown`` without a pack.
    ///
    /// The supplies are all entries of the class, peripherals included, with all attributes.
    package static func reading(of supplies: [PowerSupply]) -> Power {
        let packs = supplies.filter(\.isPack).sorted { $0.name < $1.name }
        let isPlugged = BatteryRule.reading(of: supplies, isMacBook: false).isPlugged
        let energies = packs.map(PackEnergy.init)
        var power = Power(
            packs: zip(packs, energies).map { pack, energy in
                Self.pack(pack, energy, isPlugged: isPlugged)
            })
        power.power = total(power.packs.map(\.power))
        power.energy = total(power.packs.map(\.energy))
        power.energyFull = total(power.packs.map(\.energyFull))
        power.health = health(power, energies)
        return power
    }

    /// Returns the reading with the times at a mean power in watts.
    package static func reading(_ power: Power, atMean mean: Double?) -> Power {
        var power = power
        (power.secondsToEmpty, power.secondsToFull) = (nil, nil)
        guard let mean, abs(mean) >= leastPower, let energy = power.energy else { return power }
        if mean < 0 {
            power.secondsToEmpty = time(energy, mean)
        } else if let full = power.energyFull ?? total(power.packs.map { $0.energyFull ?? $0.energyFullDesign }) {
            power.secondsToFull = time(max(0, full - energy), mean)
        }
        return power
    }

    /// Returns whether only a voltage is missing to convert the charge of a pack.
    package static func lacksVoltage(_ pack: PowerSupply) -> Bool {
        SupplyQuantity.value("charge_now", of: pack) != nil && PackEnergy.voltage(of: pack) == nil
    }

    private static func time(_ energy: Double, _ power: Double) -> Int? {
        let seconds = energy / abs(power) * 3_600
        return seconds <= longestTime ? Int(seconds) : nil
    }

    private static func pack(_ supply: PowerSupply, _ energy: PackEnergy, isPlugged: Bool?) -> Power.Pack {
        func value(_ attributes: String...) -> Double? {
            attributes.lazy.compactMap { SupplyQuantity.value($0, of: supply) }.first.map(rounded)
        }
        var pack = Power.Pack(name: supply.name)
        pack.vendor = text("manufacturer", of: supply)
        pack.model = text("model_name", of: supply)
        pack.technology = text("technology", of: supply)
        pack.energy = energy.now.map(rounded)
        pack.energyFull = energy.full.map(rounded)
        pack.energyFullDesign = energy.design.map(rounded)
        pack.power = power(of: supply, isPlugged: isPlugged).map(rounded)
        pack.voltage = value("voltage_now", "voltage_avg")
        pack.temperature = value("temp")
        pack.cycles = value("cycle_count").map { Int($0) }
        return pack
    }

    private static func text(_ attribute: String, of supply: PowerSupply) -> String? {
        guard let text = supply[attribute].map(SysfsText.trimmed), !text.isEmpty,
            !SysfsText.isWord(text, "unknown"), !CombiningMarks.areTooMany(in: text)
        else { return nil }
        return text
    }

    /// Returns the power of a pack in watts, positive while it charges.
    static func power(of pack: PowerSupply, isPlugged: Bool?) -> Double? {
        let voltage =
            SupplyQuantity.value("voltage_now", of: pack) ?? SupplyQuantity.value("voltage_avg", of: pack)
            ?? PackEnergy.voltage(of: pack)
        let powers = ["now", "avg"].flatMap { end in
            [
                SupplyQuantity.value("power_" + end, of: pack),
                voltage.flatMap { voltage in SupplyQuantity.value("current_" + end, of: pack).map { $0 * voltage } },
            ]
        }
        let known = powers.compactMap { $0 }.filter { abs($0) <= greatestPower }
        // Some drivers report 0 for an attribute that their hardware lacks.
        guard let power = known.first(where: { $0 != 0 }) ?? known.first else { return nil }
        return flowsOut(pack, power, isPlugged: isPlugged) ? 0 - abs(power) : abs(power)
    }

    /// Returns whether a power flows out of the pack: ACPI reports no sign, and others reverse it.
    private static func flowsOut(_ pack: PowerSupply, _ power: Double, isPlugged: Bool?) -> Bool {
        switch pack.chargeStatus {
        case .discharging: true
        // A pack that reports that it is charging may be draining, behind a charger that is too weak.
        case .charging: power < 0
        case .unknown, .notCharging, .full: power < 0 || isPlugged == false
        }
    }

    private static func health(_ power: Power, _ energies: [PackEnergy]) -> Double? {
        // Each pack is judged by itself before they are added.
        guard let sum = total(energies.map(\.health)) else { return nil }
        if let full = power.energyFull, let design = total(power.packs.map(\.energyFullDesign)) {
            return rounded(min(full / design, 1))
        }
        return rounded(sum / Double(energies.count))
    }

    /// Returns the sum of values, if there are any and all are known.
    private static func total(_ values: [Double?]) -> Double? {
        let known = values.compactMap { $0 }
        return known.isEmpty || known.count < values.count ? nil : rounded(known.reduce(0, +))
    }

    private static func rounded(_ value: Double) -> Double {
        // The sum turns -0 into 0.
        (value * precision).rounded() / precision + 0
    }
}
