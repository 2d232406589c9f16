// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One entry of `/sys/class/power_supply`, as text.
///
/// The names and meanings of attributes are those of the kernel's sysfs-class-power document.
package struct PowerSupply: Sendable, Hashable {
    /// The kernel's name; it says nothing of what the supply is.
    package var name: String
    /// The attributes that could be read.
    package var attributes: [String: String]
    /// It is a USB-C port that gives power and takes none.
    package var isSourcePort: Bool

    /// Makes a supply of what was read.
    package init(name: String, attributes: [String: String], isSourcePort: Bool = false) {
        self.name = name
        self.attributes = attributes
        self.isSourcePort = isSourcePort
    }

    /// The attributes that the rules look at.
    package static let attributeNames: [String] =
        [
            "type", "scope", "present", "status", "online", "capacity", "capacity_level", "current_now",
            "voltage_min_design", "voltage_max_design", "voltage_now",
        ]
        + ["energy", "charge"].flatMap { unit in ["now", "avg", "full", "full_design"].map { unit + "_" + $0 } }

    /// Whether it is a battery pack of the system: a mouse's battery is not, nor is an empty slot.
    package var isPack: Bool {
        word("type") == "battery" && isSystem && number("present") != 0
    }

    /// Whether it can power the system; a UPS is no charger, and a battery no supply.
    package var isSupply: Bool {
        let type = word("type")
        return type != "battery" && type != "ups" && isSystem && !isSourcePort && number("online") != nil
    }

    /// Whether it gives power: 1 is fixed, 2 programmable (USB PD PPS).
    package var isOnline: Bool {
        number("online").map { $0 >= 1 } ?? false
    }

    /// What a pack says of itself.
    package var chargeStatus: Battery.ChargeStatus {
        switch word("status") {
        case "charging": .charging
        case "discharging": .discharging
        case "not charging": .notCharging
        case "full": .full
        default: .unknown
        }
    }

    /// Whether current is said to flow out.
    ///
    /// A positive value says nothing: ACPI reports no sign.
    var isDraining: Bool {
        number("current_now").map { $0 < 0 } ?? false
    }

    func number(_ attribute: String) -> Double? {
        SysfsText.number(attributes[attribute])
    }

    /// The longest word that drivers have for anything, in bytes, and more: `not charging` has 12.
    private static let wordLimit = 32

    /// An attribute as a lowercase word; empty where it is not there, or longer than any word.
    package func word(_ attribute: String) -> String {
        let text = SysfsText.trimmed(attributes[attribute] ?? "")
        return text.utf8.count <= Self.wordLimit ? text.lowercased() : ""
    }

    private var isSystem: Bool {
        word("scope") != "device"
    }
}
