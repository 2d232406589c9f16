// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The rules for common wishes, by name.
package enum Preset: String, Sendable, CaseIterable {
    case appearance, players, network, modem, bluetooth, peripherals, profile, session

    /// Returns the rules; if two publish the same name, the first has precedence.
    static func rules(of presets: [Preset]) throws(ConfigurationError) -> [PropertyRule] {
        let section = try ConfigurationSection(parsing: PackageResources.Presets_json5)
        var rules: [PropertyRule] = []
        for preset in presets {
            let key = preset.rawValue
            rules +=
                try section.sections(key, "rules") { rule throws(ConfigurationError) in
                    try PropertyRule(reading: rule, key)
                }
                ?? []
        }
        return rules
    }

    /// Returns the rule for a unit of systemd; `nil` if its name is too long to be published.
    static func rule(of unit: SystemdUnit, on bus: PropertyRule.Bus) -> PropertyRule? {
        let manager = "org.freedesktop.systemd1"
        guard let service = ServiceName(manager),
            let name = NameTemplate("\(manager).\(bus == .system ? "system" : "user").\(unit.part)")
        else { return nil }
        let members = [("active", "ActiveState"), ("sub", "SubState"), ("result", unit.interface + ".Result")]
        return PropertyRule(
            key: "units", bus: bus, service: service, objects: .path(unit.path), interface: manager + ".Unit",
            members: members.compactMap { PropertyRule.member($0, $1 + ": text", of: manager + ".Unit") }, name: name,
            subscription: PropertyRule.Method(
                path: "/org/freedesktop/systemd1", interface: manager + ".Manager", member: "Subscribe"))
    }
}
