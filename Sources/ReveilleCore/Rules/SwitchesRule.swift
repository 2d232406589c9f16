// SPDX-License-Identifier: Apache-2.0

/// A switch of the case; the raw value is its code in linux/input-event-codes.h.
package enum CaseSwitch: Int, Sendable, CaseIterable {
    case lid = 0
    case tabletMode = 1
    case dock = 5

    /// The property of the login manager (org.freedesktop.login1.Manager) that has its position, if there is one.
    package var property: String? {
        switch self {
        case .lid: "LidClosed"
        case .tabletMode: nil
        case .dock: "Docked"
        }
    }
}

/// Derives the positions of the switches from the input devices that have them, or else from the login manager.
///
/// A switch that several devices have is on if any of them says so.
package struct SwitchesRule: Sendable {
    /// Whether the login manager has reported a closed lid: its property does not distinguish an open lid from none.
    package private(set) var hasLid = false

    package init() {}

    /// The properties of the login manager that are needed when devices have only some of the switches.
    package static func properties(besides switches: Set<CaseSwitch>) -> [String] {
        CaseSwitch.allCases.filter { !switches.contains($0) }.compactMap(\.property)
    }

    /// Returns the reading from the switches of each device that can be read, on or off, and the known properties.
    package mutating func reading(of devices: [[CaseSwitch: Bool]], properties: [String: Bool]) -> Switches {
        let isOn = devices.reduce(into: [:]) { $0.merge($1) { $0 || $1 } }
        func position(of item: CaseSwitch) -> Bool? { isOn[item] ?? item.property.flatMap { properties[$0] } }
        var isLidClosed = position(of: .lid)
        if isOn[.lid] == nil {
            hasLid = hasLid || isLidClosed == true
            if !hasLid { isLidClosed = nil }
        }
        return Switches(
            isLidClosed: isLidClosed, isInTabletMode: position(of: .tabletMode), isDocked: position(of: .dock))
    }
}
