// SPDX-License-Identifier: Apache-2.0

/// The meaning of the power supply attributes that decide most readings.
package struct SupplyFacts: Sendable, Hashable {
    package enum Kind: Sendable {
        case battery, ups
        /// A supply that can power the system, such as `Mains` or `USB`.
        case other
    }

    package private(set) var kind = Kind.other
    /// Whether it belongs to the machine and not to a peripheral.
    package private(set) var isSystem = true
    /// Whether the slot of a battery contains one.
    package private(set) var isPresent = true
    package private(set) var chargeStatus = Battery.ChargeStatus.unknown
    /// The number that shows whether a supply provides power.
    package private(set) var online: Double?
    /// The level of a battery in percent, as its driver reports it.
    package private(set) var capacity: Double?

    /// Takes the text of an attribute, or its absence; most attributes change nothing.
    mutating func take(_ text: String?, of attribute: String) {
        switch attribute {
        case "type": kind = text.map(Self.kind) ?? .other
        case "scope": isSystem = !(text.map { SysfsText.isWord($0, "device") } ?? false)
        case "present": isPresent = SysfsText.number(text) != 0
        case "status": chargeStatus = text.map(Self.chargeStatus) ?? .unknown
        case "online": online = SysfsText.number(text)
        case "capacity": capacity = SysfsText.number(text)
        default: break
        }
    }

    private static func kind(_ text: String) -> Kind {
        if SysfsText.isWord(text, "battery") { return .battery }
        return SysfsText.isWord(text, "ups") ? .ups : .other
    }

    private static func chargeStatus(_ text: String) -> Battery.ChargeStatus {
        if SysfsText.isWord(text, "charging") { return .charging }
        if SysfsText.isWord(text, "discharging") { return .discharging }
        if SysfsText.isWord(text, "not charging") { return .notCharging }
        return SysfsText.isWord(text, "full") ? .full : .unknown
    }
}
