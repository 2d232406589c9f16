// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import Testing

@Suite struct DBusConfigurationTests {
    private static let rule = #"bus: "system", service: "org.example.A", path: "/a", interface: "org.example.A""#

    @Test(
        "an error names the key, and what is allowed or was found",
        arguments: [
            ("presets: ['player']", "presets: not appearance, players, network,", "did you mean players?"),
            ("presets: []", "rules: 0 names with the presets", "not 1 to 64"),
            ("units: { system: ['ssh'] }", "units.system: not the name of a unit", #""ssh""#),
            ("rules: { a: { \(rule), name: 'org.example.a' } }", "rules.a.properties: missing", ""),
            (
                "rules: { a: { \(rule), name: 'org.example.{path}', properties: { s: 'S' } } }",
                "rules.a.name: must contain no part in braces", "org.example.{path}"
            ),
            ("rules: { a: { buss: 1 } }", "rules.a.buss: unknown key", "did you mean bus?"),
            ("rules: { a: { bus: 'user' } }", "rules.a.bus: not session or system", #""user""#),
            (
                "rules: { a: { \(rule), properties: { s: 'S: w' } } }", "rules.a.properties.s: not a property",
                #""S: w""#
            ),
        ])
    func errors(_ text: String, _ start: String, _ end: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try DBusConfiguration(parsing: Array("{ \(text) }".utf8))
        }
        let message = error?.description ?? ""
        #expect(message.hasPrefix(start) && message.hasSuffix(end), "\(message)")
    }

    @Test("units that differ have different names") func unitNames() throws {
        let units = ["a@b.service", "a_40b.service", "a.b.service", "a..b.service", "a_.service"]
        let list = units.map { "'\($0)'" }.joined(separator: ",")
        let configuration = try DBusConfiguration(parsing: Array("{ presets: [], units: { system: [\(list)] } }".utf8))
        let names = ["a_40b.service", "a_5f40b.service", "a.b.service", "a._2eb.service", "a_5f.service"]
        #expect(configuration.rules.map(\.name.text) == names.map { "org.freedesktop.systemd1.system." + $0 })
    }
}
