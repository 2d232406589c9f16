// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The present power supplies.
///
/// Finding the devices costs a hundred times as much as reading them. They are found when devices come or go, at each
/// poll and on request. An event of a known device only leads to a read, of the attributes that the rule needs.
struct PowerSupplies {
    private var devices: [SupplyDevice]
    /// The directories of the supplies and their ports.
    private let paths: Set<String>
    /// Whether the machine is a MacBook, whose firmware reports a wrong `capacity` (DMI).
    let isMacBook: Bool

    enum Extent {
        /// The attributes that decide the battery's reading, and all others only if these do not suffice.
        case decisive
        case batteries
        /// All attributes, to show them to a person.
        case everything
    }

    /// Finds the supplies that are present now.
    init(attributes: [String] = PowerSupply.attributeNames) throws(SystemError) {
        let supplies = try UdevDevice.all(of: "power_supply", isBare: true)
        let ports = supplies.isEmpty ? [] : try UdevDevice.all(of: "typec", isBare: true)
        devices = supplies.map { device in
            SupplyDevice(
                device, ports: ports.filter { $0.parent != nil && $0.parent == device.parent }, attributes: attributes)
        }
        paths = Set(devices.lazy.flatMap(\.paths))
        let product = SysfsAttribute.read("/sys/class/dmi/id/product_name").text
        isMacBook = product?.hasPrefix("MacBook") ?? false
    }

    /// Whether a supply may change without an event, as a battery may.
    var mayDrift: Bool { devices.contains(where: \.isBattery) }

    func contains(_ paths: Set<String>) -> Bool {
        paths.isSubset(of: self.paths)
    }

    /// Looks for all attributes of changed devices again.
    mutating func listAttributes(of paths: Set<String>) {
        for index in devices.indices where !paths.isDisjoint(with: devices[index].paths) {
            devices[index].listAttributes()
        }
    }

    /// Reads all supplies; `nil` if a supply has gone, so that all must be found again.
    mutating func read(_ extent: Extent = .decisive) -> [PowerSupply]? {
        var supplies: [PowerSupply] = []
        for device in devices {
            guard let supply = device.read(keepsTexts: extent == .everything) else { return nil }
            supplies.append(supply)
        }
        if extent != .decisive || !BatteryRule.isDetermined(supplies, isMacBook: isMacBook) {
            for index in devices.indices where extent == .everything || devices[index].isBattery {
                devices[index].readOthers(into: &supplies[index])
            }
        }
        return supplies
    }
}
