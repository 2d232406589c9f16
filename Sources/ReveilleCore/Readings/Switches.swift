// SPDX-License-Identifier: Apache-2.0

/// The switches of the case.
public struct Switches: Sendable, Hashable, Codable {
    /// Whether the lid of a laptop is closed; `nil` without a lid.
    public var isLidClosed: Bool?
    /// Whether the keyboard is folded away or detached; `nil` without such a switch.
    public var isInTabletMode: Bool?
    /// Whether the device is in a docking station; `nil` without such a switch.
    public var isDocked: Bool?

    /// Creates a reading.
    public init(isLidClosed: Bool? = nil, isInTabletMode: Bool? = nil, isDocked: Bool? = nil) {
        self.isLidClosed = isLidClosed
        self.isInTabletMode = isInTabletMode
        self.isDocked = isDocked
    }

    private enum CodingKeys: String, CodingKey {
        case isLidClosed = "lidClosed"
        case isInTabletMode = "tabletMode"
        case isDocked = "docked"
    }

    /// The reading of a device without switches.
    package static let unknown = Switches()
}

extension Switches: AspectDeclaration {
    /// The position of each switch: `lid closed, laptop mode, docked`.
    public var description: String {
        let parts = [
            isLidClosed.map { $0 ? "lid closed" : "lid open" },
            isInTabletMode.map { $0 ? "tablet mode" : "laptop mode" },
            isDocked.map { $0 ? "docked" : "undocked" },
        ].compactMap { $0 }
        return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, place: 9) }
    @usableFromInline package static var blank: Switches { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.bool("lidClosed", &isLidClosed)
        coder.show(as: DashboardEntity("lid_closed", "Lid closed", icon: "mdi:laptop"))
        try coder.bool("tabletMode", &isInTabletMode)
        coder.show(as: DashboardEntity("tablet_mode", "Tablet mode", icon: "mdi:tablet"))
        try coder.bool("docked", &isDocked)
        coder.show(as: DashboardEntity("docked", "Docked", icon: "mdi:dock-window"))
    }

    package static var abbreviations: String? { ", or closed, open, tablet, laptop, docked or undocked" }

    package mutating func abbreviate(_ word: String) -> Bool {
        switch word {
        case "closed", "open": isLidClosed = word == "closed"
        case "tablet", "laptop": isInTabletMode = word == "tablet"
        case "docked", "undocked": isDocked = word == "docked"
        default: return false
        }
        return true
    }
}
