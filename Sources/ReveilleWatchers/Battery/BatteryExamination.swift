// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

enum BatteryExamination {
    static func examine(_ supplies: [PowerSupply], isMacBook: Bool) -> Examination {
        var examination = Examination()
        for supply in supplies {
            examination.add(supply.name, role(supply) + raw(supply))
        }
        if isMacBook {
            examination.add("MacBook", "levels are energy ratios, since capacity is wrong")
        }
        let reading = BatteryRule.reading(of: supplies, isMacBook: isMacBook)
        examination.isUnknown = reading.level == nil
        let level = reading.level.map { "\(Int(($0 * 100).rounded()))%" } ?? "level unknown"
        let supply = reading.supply.map { " (\($0))" } ?? ""
        let plugged = reading.isPlugged.map { $0 ? "plugged in\(supply)" : "not plugged in" } ?? "power source unknown"
        examination.add("reading", "\(reading.state), \(level), \(plugged), charge status \(reading.chargeStatus)")
        let batteries = supplies.filter { $0.facts.kind == .battery }
        if batteries.count > 1 {
            examination.advice.append(
                "to choose, set battery.ignore or battery.count to names, such as [\"\(batteries[0].name)\"], or \(SupplyChoices.property) to ignore or count by udev"
            )
        }
        if reading.packs.isEmpty {
            examination.advice.append("a device without a battery reads unknown; no action is needed")
        } else if reading.level == nil {
            examination.advice.append(
                "the driver reports neither capacity nor energy nor charge: file a bug against the driver")
        }
        return examination
    }

    private static func role(_ supply: PowerSupply) -> String {
        if supply.choice == .ignore { return "ignored, as was chosen" }
        if supply.isPack { return "battery pack" }
        if supply.isSupply { return supply.isOnline ? "power supply, online" : "power supply, offline" }
        if supply.isSourcePort { return "ignored: a USB-C port that supplies power to others" }
        if !supply.facts.isSystem { return "ignored: it belongs to a peripheral" }
        if supply.facts.kind == .ups { return "ignored: a UPS is not the device's battery" }
        if supply.facts.kind == .battery { return "ignored: an empty slot" }
        return "ignored: it does not report whether it is online"
    }

    private static func raw(_ supply: PowerSupply) -> String {
        let shown = PowerSupply.attributeNames.compactMap { name in
            supply.attributes[name].map { name + "=" + SysfsText.trimmed($0) }
        }
        return shown.isEmpty ? "" : "  (" + shown.joined(separator: ", ") + ")"
    }
}
