// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What the attributes of a power supply mean that decide most readings.
package struct SupplyFacts: Sendable, Hashable {
    /// The kind of a supply.
    package enum Kind: Sendable {
        case battery, ups
        /// A supply that can power the system, such as `Mains` or `USB`.
        case other
    }

    /// The kind of the supply.
    package let kind: Kind
    /// Whether it belongs to the machine and not to a peripheral.
    package let isSystem: Bool
    /// Whether the slot of a battery contains one.
    package let isPresent: Bool
    /// The charge status that a battery reports.
    package let chargeStatus: Battery.ChargeStatus
    /// The number that shows whether a supply provides power.
    package let online: Double?
    /// The level of a battery in percent, as its driver reports it.
    package let capacity: Double?

    init(_ attributes: [String: String]) {
        let type = attributes["type"] ?? ""
        kind = SysfsText.isWord(type, "battery") ? .battery : SysfsText.isWord(type, "ups") ? .ups : .other
        isSystem = !SysfsText.isWord(attributes["scope"] ?? "", "device")
        isPresent = SysfsText.number(attributes["present"]) != 0
        chargeStatus = attributes["status"].map(Self.chargeStatus) ?? .unknown
        online = SysfsText.number(attributes["online"])
        capacity = SysfsText.number(attributes["capacity"])
    }

    private static func chargeStatus(_ text: String) -> Battery.ChargeStatus {
        if SysfsText.isWord(text, "charging") { return .charging }
        if SysfsText.isWord(text, "discharging") { return .discharging }
        if SysfsText.isWord(text, "not charging") { return .notCharging }
        return SysfsText.isWord(text, "full") ? .full : .unknown
    }
}
