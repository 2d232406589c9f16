// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// A power supply of the machine, and the attributes to read.
struct SupplyDevice: Sendable {
    let device: UdevDevice
    /// The supply with the attributes that never change while it is present.
    private let fixed: PowerSupply
    /// The attributes that are read each time, even if they were missing before.
    private let decisive: [(name: String, reader: SysfsReader)]
    /// The attributes that are read if the decisive ones do not suffice.
    ///
    /// Most drivers choose their attributes when they register, so missing attributes are removed until the device
    /// reports a change, or until the next poll.
    private var others: [String]
    private let allOthers: [String]
    private let ports: [UdevDevice]
    private let isCounted: Bool

    /// Reads the attributes that never change; the ports are the USB-C ports of the same device.
    init(_ device: UdevDevice, ports: [UdevDevice], attributes: [String], choice: SupplyChoices) {
        self.device = device
        self.ports = ports
        let constant = ["type", "scope"]
        var supply = PowerSupply(name: device.name, attributes: [:])
        for name in constant { supply[name] = device.attribute(name).text }
        supply.choice = choice[device]
        isCounted = supply.choice == .count
        fixed = supply
        let known = constant + supply.decisiveAttributes
        decisive = supply.decisiveAttributes.map { ($0, SysfsReader(device.path + "/" + $0)) }
        // Reading a peripheral's battery may wake the peripheral up, and its values are not needed.
        allOthers = supply.facts.isSystem ? attributes.filter { !known.contains($0) } : []
        others = allOthers
    }

    /// Looks for all attributes again, as after a change of the device.
    mutating func listAttributes() {
        others = allOthers
    }

    /// The directories of the supply and its ports.
    var paths: [String] { [device.path] + ports.map(\.path) }

    /// Whether it is a battery of the machine, or a slot for one.
    var isBattery: Bool { decisive.contains { $0.name == "capacity" } }

    /// Reads the decisive attributes: only their meaning unless their texts are kept; `nil` when the supply has gone.
    func read(keepsTexts: Bool) -> PowerSupply? {
        var supply = fixed
        var isThere = decisive.isEmpty
        for (name, reader) in decisive {
            // Each attribute is optional on each read: after an error, the driver has no value now.
            guard case .text(let text) = reader.read() else { continue }
            if keepsTexts { supply[name] = text } else { supply.note(text, of: name) }
            isThere = true
        }
        guard isThere || device.exists else { return nil }
        supply.isSourcePort = !isCounted && isSourcePort
        return supply
    }

    mutating func readOthers(into supply: inout PowerSupply) {
        others.removeAll { name in
            let value = device.attribute(name)
            if case .text(let text) = value { supply[name] = text }
            // A driver without a value now may report that the device is missing.
            return value == .missing && !device.has(name)
        }
    }

    /// Whether the USB-C ports of a supply only provide power to others (the same rule as in systemd, issue 21988).
    private var isSourcePort: Bool {
        let roles = ports.compactMap { $0.attribute("power_role").text }
        return roles.contains { $0.contains("[source]") } && !roles.contains { $0.contains("[sink]") }
    }
}
