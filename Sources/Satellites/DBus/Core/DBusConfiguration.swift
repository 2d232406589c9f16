// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// The rules for the properties that are followed and published.
package struct DBusConfiguration: Sendable, Hashable {
    /// The largest configuration file in bytes: far more than a person writes.
    package static let sizeLimit = 1 << 17
    /// The most names and patterns whose demand is asked for: the bus's limit for a call.
    private static let demandLimit = 64

    /// The rules in their order of precedence.
    package let rules: [PropertyRule]

    /// Parses an object in JSON5; keys that are absent or null keep their defaults.
    package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let top = try ConfigurationSection(parsing: bytes)
        let names = Preset.allCases.map(\.rawValue)
        let presets = try top.texts(
            "presets", each: Suggestion.list(names), atMost: names.count,
            hint: { Suggestion.phrase(for: $0, among: names) }, read: { Preset(rawValue: $0) })
        var own: [PropertyRule] = []
        try top.section("rules") { section throws(ConfigurationError) in
            for key in section.names {
                try section.section(key) { rule throws(ConfigurationError) in
                    own.append(try PropertyRule(reading: rule, key))
                }
            }
        }
        try top.section("units") { section throws(ConfigurationError) in
            for bus in PropertyRule.Bus.allCases {
                let units = try section.texts(bus.rawValue, each: SystemdUnit.expected, atMost: Self.demandLimit) {
                    SystemdUnit($0).flatMap { Preset.rule(of: $0, on: bus) }
                }
                own += units ?? []
            }
        }
        try top.rejectUnknownKeys()
        rules = own + (try Preset.rules(of: presets ?? Preset.allCases))
        guard (1...Self.demandLimit).contains(demands.aspects.count) else {
            throw top.refusing(
                "rules", because: "\(demands.aspects.count) names with the presets, not 1 to \(Self.demandLimit)")
        }
    }

    /// The names and patterns whose demand decides which rules are followed.
    package var demands: AspectSet { AspectSet(rules.map(\.name.demand)) }
}
