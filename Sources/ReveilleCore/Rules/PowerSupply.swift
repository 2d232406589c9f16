// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// An entry of `/sys/class/power_supply`, with its attributes as text.
///
/// The names and meanings of attributes are those of the kernel's document sysfs-class-power.
package struct PowerSupply: Sendable, Hashable {
    /// The kernel's name, which does not show the kind of the supply.
    package var name: String
    /// The attributes that could be read.
    package var attributes: [String: String]
    /// Whether it is a USB-C port that only provides power.
    package var isSourcePort: Bool

    /// Creates a supply.
    package init(name: String, attributes: [String: String], isSourcePort: Bool = false) {
        self.name = name
        self.attributes = attributes
        self.isSourcePort = isSourcePort
    }

    /// The attributes that the rules use.
    package static let attributeNames: [String] =
        [
            "type", "scope", "present", "status", "online", "capacity", "capacity_level", "current_now",
            "voltage_min_design", "voltage_max_design", "voltage_now",
        ]
        + ["energy", "charge"].flatMap { unit in ["now", "avg", "full", "full_design"].map { unit + "_" + $0 } }

    /// The attributes that determine the reading of most machines; see ``BatteryRule/isDetermined(_:isMacBook:)``.
    package var decisiveAttributes: [String] {
        guard isSystem else { return [] }
        return switch word("type") {
        case "battery": ["present", "status", "capacity"]
        case "ups": []
        default: ["online"]
        }
    }

    /// Whether it is a battery pack of the system, not a mouse's battery or an empty slot.
    package var isPack: Bool {
        word("type") == "battery" && isSystem && number("present") != 0
    }

    /// Whether it can power the system; a UPS or a battery does not count.
    package var isSupply: Bool {
        let type = word("type")
        return type != "battery" && type != "ups" && isSystem && !isSourcePort && number("online") != nil
    }

    /// Whether it provides power: 1 is fixed, 2 programmable (USB PD PPS).
    package var isOnline: Bool {
        number("online").map { $0 >= 1 } ?? false
    }

    /// The charge status that a pack reports.
    package var chargeStatus: Battery.ChargeStatus {
        switch word("status") {
        case "charging": .charging
        case "discharging": .discharging
        case "not charging": .notCharging
        case "full": .full
        default: .unknown
        }
    }

    /// Whether the pack reports that current flows out.
    ///
    /// A positive value has no meaning, since ACPI reports no sign.
    var isDraining: Bool {
        number("current_now").map { $0 < 0 } ?? false
    }

    func number(_ attribute: String) -> Double? {
        SysfsText.number(attributes[attribute])
    }

    /// The longest word in bytes, with a margin: the longest of the kernel's, `not charging`, has 12.
    private static let wordLimit = 32

    /// Returns an attribute as a lowercase word; empty if it is absent, or longer than any word.
    package func word(_ attribute: String) -> String {
        let text = SysfsText.trimmed(attributes[attribute] ?? "")
        return text.utf8.count <= Self.wordLimit ? text.lowercased() : ""
    }

    /// Whether it belongs to the machine and not to a peripheral.
    package var isSystem: Bool {
        word("scope") != "device"
    }
}
