// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost

/// The power supplies that a person ignores or counts, whatever their drivers say.
package struct SupplyChoices: Sendable {
    /// The names of supplies, in the configuration.
    package var ignored: [String] = []
    package var counted: [String] = []

    package init() {}

    /// The property by which udev's rules choose.
    static let property = "REVEILLE_SUPPLY"

    /// Returns the configured names that no device has.
    func missing(among devices: [UdevDevice]) -> [String] {
        (ignored + counted).filter { name in !devices.contains { $0.isCalled(name) } }
    }

    subscript(device: UdevDevice) -> PowerSupply.Choice? {
        if ignored.contains(where: device.isCalled) { return .ignore }
        if counted.contains(where: device.isCalled) { return .count }
        return device.storedProperty(Self.property, of: "power_supply").flatMap { PowerSupply.Choice(rawValue: $0) }
    }
}
