// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleSystem
import Testing
import Varlink

/// The table of `Docs/Fleet.md` and the example of the package, compared with the reader of configurations.
@Suite struct BridgeConfigurationDocumentTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    private func file(_ path: String) throws -> [UInt8] {
        try RequiredFile.read(Self.root + "/" + path, limit: 1 << 20)
    }

    @Test("the documented keys and defaults are those of the program") func keys() throws {
        let text = String(decoding: try file("Docs/Fleet.md"), as: UTF8.self)
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Configuration\n") })
        var documented: [String: String] = [:]
        for row in section.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
            documented[cells[0]] = cells[2]
        }
        var members: [String: String] = [:]
        for member in try BridgeConfiguration(parsing: Array("{ broker: 'localhost' }".utf8)).json.members {
            members[member.name] = member.name == "broker" ? "required" : member.value.description
        }
        #expect(documented == members)
    }

    @Test("the example of the package is valid") func example() throws {
        let configuration = try BridgeConfiguration(parsing: try file("Scripts/debian/examples/fleet.json5"))
        #expect(configuration.access.address.usesTLS)
        #expect(configuration.aspects == BridgeConfiguration.usualAspects)
    }
}
