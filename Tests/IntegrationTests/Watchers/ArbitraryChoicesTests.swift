// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSimulation
import ReveilleTesting
import Testing
import Varlink

/// The name of no device.
private let absent = "absent"

/// Arbitrary supplies, properties of udev and configurations that choose among them.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ArbitraryChoicesTests {
    /// Runs a program that sees files in a directory as those of udev's database.
    private static func launcher(_ database: String) -> [String] {
        let script = "mount -t tmpfs none /run && mkdir -p /run/udev && cp -r \(database) /run/udev/data && exec \"$@\""
        return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    }

    private static var hasNamespaces: Bool {
        guard let directory = try? TemporaryDirectory(), mkdir(directory.path + "/data", 0o755) == 0 else {
            return false
        }
        let launcher = launcher(directory.path + "/data")
        return (try? ProgramRun(Array(launcher.dropFirst()) + ["true"], program: launcher[0], in: directory))?.code == 0
    }

    /// Some supplies, and what is chosen among them.
    private struct Choices {
        private var random: SplitMix64
        let phone: SyntheticPhone
        let database: TemporaryDirectory
        private(set) var configuration = ""
        private(set) var missing: Set<String> = []

        init(seed: UInt64) throws {
            random = SplitMix64(seed: seed)
            phone = try SyntheticPhone()
            database = try TemporaryDirectory()
            try database.write("", to: "data/.keep")
        }

        private mutating func one<Element>(of elements: [Element]) throws -> Element {
            try #require(elements.randomElement(using: &random))
        }

        /// Returns a device's name, one that is not there, or none.
        private mutating func name(of names: [String]) throws -> String? {
            let name = try one(of: names.map(Optional.some) + [absent, nil, nil])
            if name == absent { missing.insert(absent) }
            return name
        }

        /// Returns the packs that count.
        mutating func supplies() throws -> Set<String> {
            for _ in 0..<(try one(of: [0, 1, 2])) { try phone.addBattery() }
            let names = phone.batteries.map(\.name)
            var lists: [String: [String]] = ["ignore": [], "count": []]
            var counted: Set<String> = []
            for pack in phone.batteries {
                let isPeripheral = try one(of: [false, false, true])
                if isPeripheral { try #require(pack.device).set("scope", "Device") }
                let property = try one(of: ["ignore", "count", "nonsense", nil])
                if let property {
                    try database.write(
                        "I:1\nE:REVEILLE_SUPPLY=\(property)\n", to: "data/+power_supply:\(pack.name)")
                }
                let configured = try one(of: [["ignore"], ["count"], ["ignore", "count"], [], [], []])
                for list in configured { lists[list]?.append(pack.name) }
                let choice = configured.first ?? property
                if choice == "count" || choice != "ignore" && !isPeripheral { counted.insert(pack.name) }
            }
            if let name = try name(of: names), name == absent { lists[try one(of: ["ignore", "count"])]?.append(name) }
            let text = lists.map { "\($0): [\($1.map { "\"\($0)\"" }.joined(separator: ", "))]" }
            configuration += "battery: { \(text.joined(separator: ", ")) }, "
            return counted
        }
    }

    @Test(
        "the configuration decides before udev, and a device that is not there changes nothing",
        .enabled(if: hasNamespaces, "needs a mount namespace"), arguments: 0..<24 as Range<UInt64>)
    func choicesAreFollowed(seed: UInt64) throws {
        var choices = try Choices(seed: seed)
        let packs = try choices.supplies()
        let configuration = "{ \(choices.configuration) }"
        let launcher = Self.launcher(choices.database.path + "/data")
        let bus = try BusProcess(configuration: configuration, phone: choices.phone, launcher: launcher)
        let client = try bus.client()
        func state(_ aspect: String) throws -> JSONObject? { try client.state(of: aspect)[aspect]?.objectValue }
        let battery = try state("battery")
        #expect(
            Set(battery?["packs"]?.arrayValue?.compactMap { $0.objectValue?["name"]?.stringValue } ?? []) == packs,
            "\(configuration)")
        #expect((battery?["level"] == .null) == packs.isEmpty)
        #expect(try state("power")?["packs"]?.arrayValue?.count == packs.count)
        let doctor = try ProgramRun(
            Array(launcher.dropFirst()) + [
                BusProcess.program, "doctor", "--config", bus.directory.path + "/config.json5",
            ],
            program: launcher[0], in: bus.directory, environment: choices.phone.testbed.environment)
        #expect(doctor.output.contains("chosen, but not found") == !choices.missing.isEmpty, "\(configuration)")
    }
}
