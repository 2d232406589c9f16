// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// The power supplies that a watcher has found, until they must be found again.
///
/// Finding the devices costs a hundred times as much as reading them. They are found when devices come or go, at each
/// poll and on request. An event of a known device only leads to a read, of the attributes that the rule needs.
struct PowerSupplies: Sendable {
    typealias Read = (supplies: [PowerSupply], isMacBook: Bool)
    typealias Reader = DeviceReader<PowerSupplies, Read>

    /// The subsystems whose events show that supplies have changed.
    static let subsystems: Set<String> = ["power_supply", "typec"]

    enum Extent: Sendable {
        /// The attributes that decide the battery's reading, and all others only if these do not suffice.
        case decisive
        case batteries
        /// All attributes, to show them to a person.
        case everything
    }

    private let attributes: [String]
    private let choices: SupplyChoices
    /// The supplies; `nil` if they must be found.
    private var devices: [SupplyDevice]?
    /// Whether the machine is a MacBook, whose firmware reports a wrong `capacity` (DMI).
    private var isMacBook = false

    /// Creates supplies that have not been found; the given attributes may be read.
    init(attributes: [String], choices: SupplyChoices) {
        self.attributes = attributes
        self.choices = choices
    }

    /// Whether a supply may change without an event, as a battery may; true if the supplies must be found.
    var mayDrift: Bool { devices?.contains(where: \.isBattery) ?? true }

    var missingChoices: [String] { choices.missing(among: devices?.map(\.device) ?? []) }

    mutating func forget() {
        devices = nil
    }

    /// Notes changed devices, which may be new or have other attributes.
    mutating func note(_ changes: DeviceFeed.Changes) {
        guard !changes.isStructural, let devices, changes.changed.isSubset(of: devices.flatMap(\.paths)) else {
            return forget()
        }
        for index in devices.indices where !changes.changed.isDisjoint(with: devices[index].paths) {
            self.devices?[index].listAttributes()
        }
    }

    /// Reads the supplies, and finds them if they are unknown or lack the needed values (`isComplete`).
    mutating func read(
        _ extent: Extent, isComplete: (Read) -> Bool = { _ in true }
    ) throws(SystemError) -> Read {
        if let supplies = readFound(extent), isComplete((supplies, isMacBook)) { return (supplies, isMacBook) }
        try find()
        // A supply that disappears before it is read does not exist.
        return (readFound(extent) ?? [], isMacBook)
    }

    private mutating func find() throws(SystemError) {
        let supplies = try UdevDevice.all(of: "power_supply", isBare: true)
        let ports = supplies.isEmpty ? [] : try UdevDevice.all(of: "typec", isBare: true)
        devices = supplies.map { device in
            SupplyDevice(
                device, ports: ports.filter { $0.parent != nil && $0.parent == device.parent }, attributes: attributes,
                choice: choices)
        }
        let product = SysfsAttribute.read("/sys/class/dmi/id/product_name").text
        isMacBook = product?.hasPrefix("MacBook") ?? false
    }

    /// Reads the supplies that have been found; `nil` if any has gone, so that all must be found again.
    private mutating func readFound(_ extent: Extent) -> [PowerSupply]? {
        guard let devices else { return nil }
        var supplies: [PowerSupply] = []
        for device in devices {
            guard let supply = device.read(keepsTexts: extent == .everything) else { return nil }
            supplies.append(supply)
        }
        if extent != .decisive || !BatteryRule.isDetermined(supplies, isMacBook: isMacBook) {
            for index in devices.indices where extent == .everything || devices[index].isBattery {
                self.devices?[index].readOthers(into: &supplies[index])
            }
        }
        return supplies
    }
}

extension SourceDescription {
    /// Describes the packs among supplies, and the others that match.
    init(packsOf supplies: [PowerSupply], and others: (PowerSupply) -> Bool = { _ in false }) {
        let packs = supplies.filter(\.isPack)
        guard !packs.isEmpty else {
            self = .unavailable("no battery in /sys/class/power_supply")
            return
        }
        self = .available((packs + supplies.filter(others)).map(\.name).joined(separator: ", "))
    }
}
