// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// The present power supplies, and the attributes to read of each.
///
/// Finding the devices costs a hundred times as much as reading them. They are found when devices come or go, at each
/// poll and on request. An event of a known device only leads to a read.
struct PowerSupplies {
    /// One supply.
    private struct Entry {
        let device: UdevDevice
        /// The attributes that never change while the supply is present.
        let fixed: [String: String]
        /// The names of the attributes that change.
        let changing: [String]
        /// The USB-C ports of the same device.
        let ports: [UdevDevice]
    }

    private static let fixed: Set<String> = ["type", "scope"]

    /// The attributes that are read even if they were missing before, since they decide what the others mean.
    ///
    /// Drivers choose their attributes when they register. Any that appear later are found by the next poll.
    private static func always(_ isBattery: Bool) -> Set<String> {
        isBattery ? ["present", "status", "capacity"] : ["online"]
    }

    private let entries: [Entry]
    /// Whether the machine is a MacBook, whose firmware reports a wrong `capacity` (DMI).
    let isMacBook: Bool

    /// Finds the supplies that are present now.
    init() throws(SystemError) {
        let supplies = try UdevDevice.all(of: "power_supply", isBare: true)
        let ports = supplies.isEmpty ? [] : try UdevDevice.all(of: "typec", isBare: true)
        entries = supplies.map { device in
            var fixed: [String: String] = [:]
            for name in Self.fixed { fixed[name] = device.attribute(name).text }
            return Entry(
                device: device, fixed: fixed,
                changing: Self.changing(of: device, PowerSupply(name: device.name, attributes: fixed)),
                ports: ports.filter { $0.parent != nil && $0.parent == device.parent })
        }
        let product = SysfsAttribute.read("/sys/class/dmi/id/product_name").text
        isMacBook = product?.hasPrefix("MacBook") ?? false
    }

    private static func changing(of device: UdevDevice, _ supply: PowerSupply) -> [String] {
        // Reading a peripheral's battery may wake the peripheral up, and its values are not needed.
        guard supply.word("scope") != "device" else { return [] }
        let there = PowerSupply.attributeNames.filter { !fixed.contains($0) && device.attribute($0) != .missing }
        return Array(always(supply.word("type") == "battery").union(there))
    }

    /// Returns whether all of these devices are known.
    func contains(_ paths: Set<String>) -> Bool {
        paths.isSubset(of: Set(entries.lazy.flatMap { [$0.device.path] + $0.ports.map(\.path) }))
    }

    /// Reads all supplies; `nil` when one has gone, and they must be found again.
    func read() -> [PowerSupply]? {
        var supplies: [PowerSupply] = []
        for entry in entries {
            var attributes = entry.fixed
            for name in entry.changing {
                // Each attribute is optional on each read: after an error, the driver has no value now.
                if case .text(let text) = entry.device.attribute(name) { attributes[name] = text }
            }
            if attributes.count == entry.fixed.count, !entry.device.exists { return nil }
            supplies.append(
                PowerSupply(name: entry.device.name, attributes: attributes, isSourcePort: isSourcePort(entry)))
        }
        return supplies
    }

    /// Whether the USB-C ports of a supply only provide power to others (the same rule as in systemd, issue 21988).
    private func isSourcePort(_ entry: Entry) -> Bool {
        let roles = entry.ports.compactMap { $0.attribute("power_role").text }
        return roles.contains { $0.contains("[source]") } && !roles.contains { $0.contains("[sink]") }
    }
}
