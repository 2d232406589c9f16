// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleSystem
import Testing
import Varlink

@Suite struct BridgeConfigurationParserTests {
    private func parse(_ text: String) throws(ConfigurationError) -> BridgeConfiguration {
        try BridgeConfiguration(parsing: Array(text.utf8))
    }

    @Test("a configuration needs a broker and nothing else") func onlyTheBrokerIsNeeded() throws {
        let configuration = try parse("{ broker: 'broker.example.org' }")
        #expect(configuration.broker.address.usesTLS)
        #expect(configuration.device == nil)
        #expect(configuration.aspects == [.battery, .proximity, .orientation])
        #expect(configuration.desired.isEmpty)
        #expect(configuration.wakeEvery == nil)
        #expect(configuration.keepAlive == .seconds(300))
        #expect(configuration.homeAssistant == nil)
        #expect(throws: Never.self) { try configuration.broker.check() }
    }

    @Test("a printed configuration is read as the same") func printedConfigurationIsTheSame() throws {
        let configuration = try parse(
            """
            { device: "kiosk-7", broker: "mqtts://broker.example.org:8884", ca: "/ca", certificate: "/cert", key: "/key",
              user: "kiosk", passwordFile: "/password", aspects: ["defaults", "org.example.*", "battery"],
              domains: ["org.example.app"], desired: ["org.example.mode"], groups: ["shop.berlin", "all"], interval: 0.5,
              wakeEvery: 900, keepAlive: 60, homeAssistant: "home/announcements" }
            """)
        #expect(try parse(JSON.object(configuration.json).description) == configuration)
        #expect(configuration.wakeEvery == .seconds(900))
        #expect(configuration.interval == .milliseconds(500))
        #expect(configuration.groups == ["shop.berlin", "all"])
    }

    @Test(
        "Home Assistant's usual topic needs no name", arguments: [("true", "homeassistant" as String?), ("false", nil)])
    func homeAssistant(value: String, prefix: String?) throws {
        #expect(try parse("{ broker: 'localhost', homeAssistant: \(value) }").homeAssistant == prefix)
    }

    @Test(
        "an invalid configuration is refused with its key, its value and what is allowed",
        arguments: [
            ("{}", "broker: missing"),
            ("{ broker: 'mqtt://broker.example.org' }", "broker: the broker 'mqtt://broker.example.org' is another"),
            ("{ brocker: 'localhost' }", "brocker: unknown key; did you mean broker?"),
            ("{ broker: 7 }", "broker: not text: 7"),
            ("{ broker: 'localhost', device: 'a/b' }", "device: the device 'a/b': must be 1 to 64 letters"),
            ("{ broker: 'localhost', device: 'group' }", "device: the device 'group': the name is reserved"),
            ("{ broker: 'localhost', ca: 'ca.pem' }", "ca: not an absolute path, which begins with /: \"ca.pem\""),
            (
                "{ broker: 'localhost', aspects: ['batery'] }",
                "aspects: not an aspect, a published name or a pattern: \"batery\"; did you mean battery?"
            ),
            ("{ broker: 'localhost', aspects: 'battery' }", "aspects: not a list, each an aspect"),
            (
                "{ broker: 'localhost', aspects: [\((1...65).map { "'org.example.n\($0)'" }.joined(separator: ","))] }",
                "aspects: more than 64"
            ),
            ("{ broker: 'localhost', aspects: [] }", "aspects: must name at least one"),
            ("{ broker: 'localhost', aspects: ['lifecycle'] }", "aspects: lifecycle is not a state of the device"),
            ("{ broker: 'localhost', aspects: ['motion'] }", "aspects: motion is a stream of samples"),
            (
                "{ broker: 'localhost', aspects: ['battery', 'light', 'battery'] }",
                "aspects: \"battery\" is listed twice"
            ),
            ("{ broker: 'localhost', aspects: ['defaults'] }", "domains: missing: the aspect defaults needs"),
            ("{ broker: 'localhost', domains: ['org.example'] }", "domains: has no effect without the aspect defaults"),
            ("{ broker: 'localhost', aspects: ['defaults'], domains: ['a/b'] }", "domains: not the name of a domain"),
            ("{ broker: 'localhost', desired: ['battery'] }", "desired: not a published name or a pattern"),
            ("{ broker: 'localhost', groups: ['a b'] }", "groups: not a name of 1 to 64 letters"),
            ("{ broker: 'localhost', interval: -1 }", "interval: not a number of seconds from 0 to 3600: -1"),
            ("{ broker: 'localhost', wakeEvery: 0 }", "wakeEvery: not a whole number from 1 to 86400: 0"),
            ("{ broker: 'localhost', keepAlive: 65536 }", "keepAlive: not a whole number from 5 to 65535: 65536"),
            ("{ broker: 'localhost', homeAssistant: 'a/#' }", "homeAssistant: not true, false or a topic"),
            ("{ broker: 'localhost', user: '' }", "user: not a name of 1 to 255 bytes"),
            ("[]", "not an object"), ("{", "not JSON5: line 1"),
        ])
    func invalidConfigurationIsRefused(text: String, reason: String) {
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.description.hasPrefix(reason) == true, "\(error?.description ?? "")")
    }

    @Test("files that the configuration does not name come from the service manager")
    func credentialsCompleteTheAccess() throws {
        var broker = try parse("{ broker: 'broker.example.org', ca: '/own/ca', user: 'kiosk' }").broker
        broker.complete { "/run/credentials/\($0)" }
        #expect(broker.ca == "/own/ca")
        #expect(broker.certificate == "/run/credentials/certificate")
        #expect(broker.key == "/run/credentials/key")
        #expect(broker.passwordFile == "/run/credentials/password")
        #expect(throws: Never.self) { try broker.check() }
    }

    @Test("credentials without a use are ignored") func unusedCredentialsAreIgnored() throws {
        var broker = try parse("{ broker: 'unix:/run/mosquitto' }").broker
        broker.complete { "/run/credentials/\($0)" }
        #expect(broker == FleetBroker(address: try BrokerAddress("unix:/run/mosquitto")))
    }

    @Test(
        "credentials that do not belong together are refused",
        arguments: [
            ("certificate: '/cert'", "key: missing"), ("key: '/key'", "certificate: missing"),
            ("passwordFile: '/password'", "user: missing"),
        ])
    func incompleteAccessIsRefused(keys: String, reason: String) throws {
        let broker = try parse("{ broker: 'broker.example.org', \(keys) }").broker
        let error = #expect(throws: ConfigurationError.self) { try broker.check() }
        #expect(error?.description.hasPrefix(reason) == true)
    }

    @Test("files of TLS have no effect without TLS") func filesNeedTLS() throws {
        let broker = try parse("{ broker: 'localhost', ca: '/ca' }").broker
        let error = #expect(throws: ConfigurationError.self) { try broker.check() }
        #expect(error?.description == "ca: has no effect, since the connection to mqtt://localhost:1883 has no TLS")
    }

    @Test("a password is the only line of its file")
    func password() throws {
        #expect(try FleetBroker.password(in: Array("geheim wörter\n".utf8)) == "geheim wörter")
        #expect(try FleetBroker.password(in: Array("x".utf8)) == "x")
        for contents in [[], Array("\n".utf8), Array("a\nb\n".utf8), [0xFF], [0x61, 0]] {
            #expect(throws: ConfigurationError.self) { try FleetBroker.password(in: contents) }
        }
    }

    // MARK: - The table of `Docs/Satellites/Fleet.md` and the example of the package

    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    private func file(_ path: String) throws -> [UInt8] {
        try RequiredFile.read(Self.root + "/" + path, limit: 1 << 20)
    }

    @Test("the program has the documented keys and defaults") func keys() throws {
        let text = String(decoding: try file("Docs/Satellites/Fleet.md"), as: UTF8.self)
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
        let configuration = try BridgeConfiguration(parsing: try file("Scripts/packaging/debian/examples/fleet.json5"))
        #expect(configuration.broker.address.usesTLS)
        #expect(configuration.aspects == BridgeConfiguration.usualAspects)
    }
}
