// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The rules for what people ask for, by name.
package enum Preset: String, Sendable, CaseIterable {
    case appearance, players, network, modem, bluetooth, peripherals, profile, session

    /// Returns the rules; if two publish the same name, the first has precedence.
    static func rules(of presets: [Preset]) throws(ConfigurationError) -> [Rule] {
        let section = try ConfigurationSection(parsing: PackageResources.Presets_json5)
        var rules: [Rule] = []
        for preset in presets {
            let key = preset.rawValue
            let own = try section.sections(key, "a list of rules") { rule throws(ConfigurationError) in
                try Rule(reading: rule, key)
            }
            rules += own ?? []
        }
        return rules
    }

    /// Returns rules for units of systemd: one for each of their types.
    static func units(_ units: [UnitName], on bus: Rule.Bus) throws(ConfigurationError) -> [Rule] {
        let manager = "org.freedesktop.systemd1"
        guard let service = ServiceName(manager),
            let name = NameTemplate("\(manager).\(bus == .system ? "system" : "user").{path}")
        else { return [] }
        func member(_ name: String, _ property: String, _ interface: String) -> Rule.Member {
            Rule.Member(name: name, property: Rule.Property(interface: interface, name: property), kind: .text)
        }
        let unit = manager + ".Unit"
        return Dictionary(grouping: units, by: \.interface).sorted { $0.key < $1.key }.map { interface, units in
            Rule(
                key: "units", bus: bus, service: service,
                objects: .paths(Dictionary(uniqueKeysWithValues: units.map { ($0.path, $0.part) })), interface: unit,
                members: [
                    member("active", "ActiveState", unit), member("sub", "SubState", unit),
                    member("result", "Result", interface),
                ], name: name,
                subscription: Rule.Method(
                    path: "/org/freedesktop/systemd1", interface: manager + ".Manager", member: "Subscribe"))
        }
    }
}
