// SPDX-License-Identifier: Apache-2.0

/// An entry of `/sys/class/power_supply`, with its attributes as text.
///
/// The kernel's document sysfs-class-power defines the names and meanings of the attributes.
package struct PowerSupply: Sendable, Hashable {
    /// The kernel's name, which does not show the kind of the supply.
    package var name: String
    /// The attributes that could be read, without attributes that were only noted.
    package private(set) var attributes: [String: String]
    /// Whether it is a USB-C port that only provides power.
    package var isSourcePort: Bool
    package private(set) var facts: SupplyFacts
    /// Whether a person ignores or counts it, whatever its driver says about its scope.
    package var choice: Choice? {
        didSet { if let choice { self["scope"] = choice == .count ? "System" : "Device" } }
    }

    package enum Choice: String, Sendable {
        case ignore, count
    }

    package init(name: String, attributes: [String: String], isSourcePort: Bool = false) {
        self.name = name
        self.attributes = attributes
        self.isSourcePort = isSourcePort
        facts = SupplyFacts()
        for (attribute, text) in attributes { facts.take(text, of: attribute) }
    }

    /// The text of an attribute; `nil` if it could not be read.
    package subscript(attribute: String) -> String? {
        get { attributes[attribute] }
        set {
            attributes[attribute] = newValue
            facts.take(newValue, of: attribute)
        }
    }

    /// Takes an attribute of ``decisiveAttributes`` into the facts, without keeping its text.
    package mutating func note(_ text: String, of attribute: String) {
        facts.take(text, of: attribute)
    }

    package static let attributeNames: [String] =
        [
            "type", "scope", "present", "status", "online", "capacity", "capacity_level", "current_now",
            "voltage_min_design", "voltage_max_design", "voltage_now",
        ]
        + ["energy", "charge"].flatMap { unit in ["now", "avg", "full", "full_design"].map { unit + "_" + $0 } }

    package static let detailNames: [String] = Set(
        attributeNames + SupplyQuantity.attributes + ["manufacturer", "model_name", "technology"]
    ).sorted()

    /// The attributes that determine the reading of most machines; see ``BatteryRule/isDetermined(_:isMacBook:)``.
    package var decisiveAttributes: [String] {
        guard facts.isSystem else { return [] }
        return switch facts.kind {
        case .battery: ["present", "status", "capacity"]
        case .ups: []
        case .other: ["online"]
        }
    }

    /// Whether it is a battery pack of the system, not a mouse's battery or an empty slot.
    package var isPack: Bool {
        facts.kind == .battery && facts.isSystem && facts.isPresent
    }

    /// Whether it can power the system; a UPS or a battery does not count.
    package var isSupply: Bool {
        facts.kind == .other && facts.isSystem && !isSourcePort && facts.online != nil
    }

    /// Whether it provides power: 1 is fixed, 2 programmable (USB PD PPS).
    package var isOnline: Bool {
        facts.online.map { $0 >= 1 } ?? false
    }

    package var chargeStatus: Battery.ChargeStatus { facts.chargeStatus }

    /// Whether the pack reports that current flows out; a positive value means nothing, since ACPI reports no sign.
    var isDraining: Bool {
        // All bits of a signed register are -1, and a microampere is nothing.
        number("current_now").map { $0 < -1 } ?? false
    }

    /// The number in an attribute; `nil` if it is missing, or a register without a value.
    func number(_ attribute: String) -> Double? {
        SysfsText.number(attributes[attribute]).flatMap { EmptyRegister.contains($0) ? nil : $0 }
    }
}

/// The meaning of the power supply attributes that decide most readings.
package struct SupplyFacts: Sendable, Hashable {
    package enum Kind: Sendable {
        case battery, ups
        /// A supply that can power the system, such as `Mains` or `USB`.
        case other
    }

    package private(set) var kind = Kind.other
    /// The kind of a supply that can power the system, if its type shows it.
    package private(set) var supply: Battery.Supply?
    /// Whether it belongs to the machine and not to a peripheral.
    package private(set) var isSystem = true
    /// Whether the slot of a battery contains one.
    package private(set) var isPresent = true
    package private(set) var chargeStatus = Battery.ChargeStatus.unknown
    /// The values of `online`: offline, fixed, programmable.
    private static let onlineRange = 0.0...2
    /// The percentages of `capacity` that a driver means; above 100, the pack holds more than its gauge has learned.
    private static let capacityRange = 0.0...110

    /// The number that shows whether a supply provides power.
    package private(set) var online: Double?
    /// The level of a battery in percent, at most 100, as its driver reports it.
    package private(set) var capacity: Double?

    /// Takes the text of an attribute, or its absence; most attributes change nothing.
    mutating func take(_ text: String?, of attribute: String) {
        switch attribute {
        case "type":
            kind = text.map(Self.kind) ?? .other
            supply = text.flatMap(Self.supply)
        case "scope": isSystem = !(text.map { SysfsText.isWord($0, "device") } ?? false)
        case "present": isPresent = SysfsText.number(text) != 0
        case "status": chargeStatus = text.map(Self.chargeStatus) ?? .unknown
        case "online": online = SysfsText.number(text, in: Self.onlineRange)
        case "capacity": capacity = SysfsText.number(text, in: Self.capacityRange).map { min($0, 100) }
        default: break
        }
    }

    private static func kind(_ text: String) -> Kind {
        if SysfsText.isWord(text, "battery") { return .battery }
        return SysfsText.isWord(text, "ups") ? .ups : .other
    }

    /// Returns the kind of supply that a type means; chargers on USB have types of their own, such as `USB_PD_DRP`.
    private static func supply(_ text: String) -> Battery.Supply? {
        let word = SysfsText.trimmed(text).lowercased()
        if word == "mains" { return .mains }
        if word == "wireless" { return .wireless }
        return word == "usb" || word.hasPrefix("usb_") || word == "brickid" ? .usb : nil
    }

    private static func chargeStatus(_ text: String) -> Battery.ChargeStatus {
        if SysfsText.isWord(text, "charging") { return .charging }
        if SysfsText.isWord(text, "discharging") { return .discharging }
        if SysfsText.isWord(text, "not charging") { return .notCharging }
        return SysfsText.isWord(text, "full") ? .full : .unknown
    }
}
