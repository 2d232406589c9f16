// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Says for a person what each power supply is taken for, and why.
enum BatteryExamination {
    static func examine(_ supplies: [PowerSupply], isMacBook: Bool) -> Examination {
        var examination = Examination()
        for supply in supplies {
            examination.findings.append(Examination.Finding(supply.name, role(supply) + raw(supply)))
        }
        if isMacBook {
            examination.findings.append(Examination.Finding("MacBook", "levels are energy ratios, capacity is wrong"))
        }
        let reading = BatteryRule.reading(of: supplies, isMacBook: isMacBook)
        let level = reading.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "level unknown"
        let plugged = reading.isPlugged.map { $0 ? "plugged in" : "not plugged in" } ?? "plugged or not is unknown"
        examination.findings.append(
            Examination.Finding("reading", "\(reading.state), \(level), \(plugged), \(reading.chargeStatus)"))
        if reading.packs.isEmpty {
            examination.advice.append("a device without a battery reads unknown; nothing needs to be done")
        } else if reading.level == nil {
            examination.advice.append(
                "the driver gives neither capacity nor energy nor charge: report it to its authors")
        }
        return examination
    }

    private static func role(_ supply: PowerSupply) -> String {
        if supply.isPack { return "a pack" }
        if supply.isSupply { return supply.isOnline ? "a supply, online" : "a supply, offline" }
        if supply.isSourcePort { return "left out: a USB-C port that gives power" }
        if supply.word("scope") == "device" { return "left out: of a peripheral" }
        if supply.word("type") == "ups" { return "left out: a UPS is not the device's battery" }
        if supply.word("type") == "battery" { return "left out: an empty slot" }
        return "left out: it does not say whether it is online"
    }

    private static func raw(_ supply: PowerSupply) -> String {
        let shown = PowerSupply.attributeNames.compactMap { name in
            supply.attributes[name].map { name + "=" + SysfsText.trimmed($0) }
        }
        return shown.isEmpty ? "" : "  (" + shown.joined(separator: ", ") + ")"
    }
}
