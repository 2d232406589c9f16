// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// The power supplies that are there, and which of their attributes to read.
///
/// To find the devices costs a hundred times what reading them costs, so they are found when devices come
/// and go, by every poll, and when somebody asks; an event of a device that is known only makes its
/// values be read.
struct PowerSupplies {
    /// One supply.
    private struct Entry {
        let device: UdevDevice
        /// What never changes while a supply is there.
        let fixed: [String: String]
        /// What does.
        let changing: [String]
        /// The USB-C ports beside it.
        let ports: [UdevDevice]
    }

    private static let fixed: Set<String> = ["type", "scope"]

    /// Attributes that are read whether they were there before or not, since they decide what the others mean.
    ///
    /// Drivers settle which attributes there are when they register; what may come later all the same is
    /// found by the next poll.
    private static func always(_ isBattery: Bool) -> Set<String> {
        isBattery ? ["present", "status", "capacity"] : ["online"]
    }

    private let entries: [Entry]
    /// Whether the machine is a MacBook, whose firmware reports a wrong `capacity` (DMI).
    let isMacBook: Bool

    /// Finds the supplies that are there now.
    init() throws(SystemError) {
        let supplies = try UdevDevice.all(of: "power_supply", isBare: true)
        let ports = supplies.isEmpty ? [] : try UdevDevice.all(of: "typec", isBare: true)
        entries = supplies.map { device in
            let fixed = Self.fixed.map { ($0, device.attribute($0).text) }.filter { $0.1 != nil }
            let attributes = Dictionary(uniqueKeysWithValues: fixed.map { ($0, $1 ?? "") })
            return Entry(
                device: device, fixed: attributes,
                changing: Self.changing(of: device, PowerSupply(name: device.name, attributes: attributes)),
                ports: ports.filter { $0.parent != nil && $0.parent == device.parent })
        }
        let product = SysfsAttribute.read("/sys/class/dmi/id/product_name").text
        isMacBook = product?.hasPrefix("MacBook") ?? false
    }

    private static func changing(of device: UdevDevice, _ supply: PowerSupply) -> [String] {
        // A peripheral's driver may have to wake it up to answer, and nothing that it says is needed.
        guard supply.word("scope") != "device" else { return [] }
        let there = PowerSupply.attributeNames.filter { !fixed.contains($0) && device.attribute($0) != .missing }
        return Array(always(supply.word("type") == "battery").union(there))
    }

    /// Whether all of these devices are among them.
    func contains(_ paths: Set<String>) -> Bool {
        paths.isSubset(of: Set(entries.lazy.flatMap { [$0.device.path] + $0.ports.map(\.path) }))
    }

    /// What the drivers answer now; `nil` when a supply is gone, and they are to be found anew.
    func read() -> [PowerSupply]? {
        var supplies: [PowerSupply] = []
        for entry in entries {
            var attributes = entry.fixed
            for name in entry.changing {
                // Each attribute is optional on every read; a driver that answers an error has no value now.
                if case .text(let text) = entry.device.attribute(name) { attributes[name] = text }
            }
            if attributes.count == entry.fixed.count, !entry.device.exists { return nil }
            supplies.append(
                PowerSupply(name: entry.device.name, attributes: attributes, isSourcePort: isSourcePort(entry)))
        }
        return supplies
    }

    /// Whether the USB-C ports beside a supply only give power (systemd has the same rule, issue 21988).
    private func isSourcePort(_ entry: Entry) -> Bool {
        let roles = entry.ports.compactMap { $0.attribute("power_role").text }
        return roles.contains { $0.contains("[source]") } && !roles.contains { $0.contains("[sink]") }
    }
}
