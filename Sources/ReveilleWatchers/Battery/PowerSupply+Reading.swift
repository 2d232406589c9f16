// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

extension PowerSupply {
    /// All power supplies that are there now, as their drivers answer now.
    static func all() throws(SystemError) -> [PowerSupply] {
        let ports = try UdevDevice.all(of: "typec")
        return try UdevDevice.all(of: "power_supply").map { device in
            var attributes: [String: String] = [:]
            for name in attributeNames {
                // Each attribute is optional on every read; a driver that answers an error has no value now.
                if case .text(let text) = device.attribute(name) { attributes[name] = text }
            }
            return PowerSupply(
                name: device.name, attributes: attributes, isSourcePort: isSourcePort(device, among: ports))
        }
    }

    /// Whether the USB-C ports beside a supply only give power (systemd has the same rule, issue 21988).
    private static func isSourcePort(_ device: UdevDevice, among ports: [UdevDevice]) -> Bool {
        guard let parent = device.parent else { return false }
        let roles = ports.filter { $0.parent == parent }.compactMap { $0.attribute("power_role").text }
        return roles.contains { $0.contains("[source]") } && !roles.contains { $0.contains("[sink]") }
    }
}

/// The machine, by its firmware's table (DMI).
enum DMI {
    private static let product = "/sys/class/dmi/id/product_name"

    /// Whether it is a MacBook, whose firmware reports a wrong `capacity`.
    static var isMacBook: Bool {
        SysfsAttribute.read(product).text?.hasPrefix("MacBook") ?? false
    }
}
