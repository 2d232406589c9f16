// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Describes the values of each pack for a person, and why some are missing.
enum PowerExamination {
    static func examine(_ supplies: [PowerSupply]) -> Examination {
        var examination = Examination()
        let reading = PowerRule.reading(of: supplies)
        let packs = supplies.filter(\.isPack).sorted { $0.name < $1.name }
        for (supply, pack) in zip(packs, reading.packs) {
            examination.add(pack.name, describe(pack))
            for attribute in SupplyQuantity.attributes {
                if let doubt = SupplyQuantity.doubt(attribute, of: supply) { examination.add(pack.name, doubt) }
            }
            examination.advice += gaps(of: pack, in: supply).map { pack.name + ": " + $0 }
        }
        examination.add("reading", "\(reading)")
        examination.isUnknown = reading.packs.isEmpty
        if reading.packs.isEmpty {
            examination.advice.append("a device without a battery has no power to report; no action is needed")
        }
        return examination
    }

    private static func describe(_ pack: Power.Pack) -> String {
        let parts: [String?] = [
            pack.vendor, pack.model, pack.technology, text(pack.power, "W"), text(pack.energy, "Wh"),
            text(pack.energyFull, "Wh full"), text(pack.energyFullDesign, "Wh when new"), text(pack.voltage, "V"),
            text(pack.temperature, "°C"), pack.cycles.map { "\($0) cycles" },
        ]
        let known = parts.compactMap { $0 }
        return known.isEmpty ? "no details" : known.joined(separator: ", ")
    }

    private static func text(_ value: Double?, _ unit: String) -> String? {
        value.map { "\($0) \(unit)" }
    }

    private static func gaps(of pack: Power.Pack, in supply: PowerSupply) -> [String] {
        var gaps: [String] = []
        if pack.power == nil {
            gaps.append("the power is unknown: the driver reports neither power_now nor current_now with a voltage")
        }
        if pack.energy == nil, PowerRule.lacksVoltage(supply) {
            gaps.append("the energy is unknown: charge_now cannot be converted without voltage_min_design")
        } else if pack.energy == nil {
            gaps.append("the energy is unknown: the driver reports no usable energy_now or charge_now")
        }
        if pack.energyFull == nil { gaps.append("the energy of the full pack is unknown, and so is its health") }
        return gaps
    }
}
