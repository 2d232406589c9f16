// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// A power supply of the machine, and the attributes to read.
struct SupplyDevice {
    private let device: UdevDevice
    /// The attributes that never change while the supply is present.
    private let fixed: [String: String]
    /// The attributes that are read each time, even if they were missing before, with their paths.
    private let decisive: [(name: String, path: String)]
    /// The attributes that are read if the decisive ones do not suffice.
    ///
    /// Drivers choose their attributes when they register, so missing ones are removed. Any that appear later are found
    /// by the next poll.
    private var others: [String]
    /// The USB-C ports of the same device.
    private let ports: [UdevDevice]

    /// Reads the attributes that never change.
    init(_ device: UdevDevice, ports: [UdevDevice]) {
        self.device = device
        self.ports = ports
        var fixed: [String: String] = [:]
        for name in ["type", "scope"] { fixed[name] = device.attribute(name).text }
        self.fixed = fixed
        let supply = PowerSupply(name: device.name, attributes: fixed)
        let decisive = supply.decisiveAttributes
        self.decisive = decisive.map { ($0, device.path + "/" + $0) }
        // Reading a peripheral's battery may wake the peripheral up, and its values are not needed.
        let names = supply.facts.isSystem ? PowerSupply.attributeNames : []
        others = names.filter { fixed[$0] == nil && !decisive.contains($0) }
    }

    /// The directories of the supply and its ports.
    var paths: [String] { [device.path] + ports.map(\.path) }

    /// Whether it is a battery of the machine, or a slot for one.
    var isBattery: Bool { decisive.contains { $0.name == "capacity" } }

    /// Reads the decisive attributes; `nil` when the supply has gone.
    func read() -> PowerSupply? {
        var attributes = [String: String](minimumCapacity: fixed.count + decisive.count)
        for (name, text) in fixed { attributes[name] = text }
        for (name, path) in decisive {
            // Each attribute is optional on each read: after an error, the driver has no value now.
            if case .text(let text) = SysfsAttribute.read(path) { attributes[name] = text }
        }
        if !decisive.isEmpty, attributes.count == fixed.count, !device.exists { return nil }
        return PowerSupply(name: device.name, attributes: attributes, isSourcePort: isSourcePort)
    }

    /// Adds the other attributes.
    mutating func readOthers(into supply: inout PowerSupply) {
        others.removeAll { name in
            let value = device.attribute(name)
            if case .text(let text) = value { supply.attributes[name] = text }
            return value == .missing
        }
    }

    /// Whether the USB-C ports of a supply only provide power to others (the same rule as in systemd, issue 21988).
    private var isSourcePort: Bool {
        let roles = ports.compactMap { $0.attribute("power_role").text }
        return roles.contains { $0.contains("[source]") } && !roles.contains { $0.contains("[sink]") }
    }
}
