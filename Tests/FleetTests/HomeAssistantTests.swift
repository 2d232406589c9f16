// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// What Scripts/setup installs of Home Assistant.
private enum HomeAssistantPackage {
    static let root = #filePath.replacing("/Tests/FleetTests/HomeAssistantTests.swift", with: "")
    static let path = root + "/.build-homeassistant"
    static var isThere: Bool { access(path + "/package", F_OK) == 0 }
    /// Whether this machine lacks a Python for this version, as Debian 12 does.
    ///
    /// This skips the test, even in continuous integration, where a missing setup does not.
    static var isImpossible: Bool { access(path + "/without-python", F_OK) == 0 }
}

/// Discovery messages, checked with Home Assistant's schemas and template engine by `home_assistant.py`.
@Suite(
    .timeLimit(.minutes(10)),
    .disabled(if: HomeAssistantPackage.isImpossible, "homeassistant 2025.1.4 needs Python 3.12 or 3.13"),
    .enabled(if: HomeAssistantPackage.isThere || getenv("CI") != nil, "no homeassistant: run Scripts/setup test"))
struct HomeAssistantTests {
    /// A state, and what an entity makes of it.
    private struct Case {
        var component: String
        var payload: JSON
        var expected: String
    }

    private static let names = ["org.example.volume"]
    private static let aspects =
        ["battery", "proximity", "orientation", "light", "display", "network", "power", "sleep", "switches", "locale"]
        + ["shake"]
        + names

    private static func state(_ value: String, changes: Int64 = 1, isSynchronized: Bool = true) throws -> JSON {
        let message = StateMessage(
            instance: "ab12", generation: 41, changes: changes, changedAt: 1_700_000_000_250_000,
            isSynchronized: isSynchronized, value: try JSON.parse(Array(value.utf8)))
        return try JSON.parse(message.bytes)
    }

    private static func status(_ message: StatusMessage) throws -> JSON { try JSON.parse(message.bytes) }

    private static let battery = """
        {"state":"charging","level":0.425,"plugged":true,"chargeStatus":"charging","packs":[
         {"name":"BAT0","level":0.425,"chargeStatus":"charging"}]}
        """
    private static let noBattery =
        #"{"state":"unknown","level":null,"plugged":null,"chargeStatus":"unknown","packs":[]}"#
    private static let power = """
        {"power":-7.25,"energy":31.5,"energyFull":50.1,"health":0.912,"timeToEmpty":15600,"timeToFull":null,"packs":[
         {"name":"BAT0","vendor":null,"model":null,"technology":"Li-ion","energy":31.5,"energyFull":50.1,
          "energyFullDesign":55.0,"power":-7.25,"voltage":11.4,"temperature":31.5,"cycles":40},
         {"name":"BAT1","vendor":null,"model":null,"technology":null,"energy":null,"energyFull":null,
          "energyFullDesign":null,"power":null,"voltage":null,"temperature":null,"cycles":null}]}
        """
    private static let noPower = """
        {"power":null,"energy":null,"energyFull":null,"health":null,"timeToEmpty":null,"timeToFull":null,"packs":[]}
        """

    private static let long = String(repeating: "x", count: 255)

    private static let states: [(component: String, value: String, expected: String)] = [
        ("battery", battery, "42"), ("battery", noBattery, "None"), ("battery", #"{"level":1}"#, "100"),
        ("charging", battery, "ON"), ("charging", #"{"chargeStatus":"full"}"#, "OFF"), ("charging", noBattery, "None"),
        ("plugged", battery, "ON"), ("plugged", #"{"plugged":false}"#, "OFF"), ("plugged", noBattery, "None"),
        ("near", #"{"state":"near"}"#, "ON"), ("near", #"{"state":"far"}"#, "OFF"),
        ("near", #"{"state":"unknown"}"#, "None"),
        ("pose", #"{"pose":"landscapeLeft","planar":"landscapeLeft"}"#, "landscapeLeft"),
        ("pose", #"{"pose":"unknown","planar":null}"#, "None"),
        ("illuminance", #"{"lux":312.5}"#, "312.5"), ("illuminance", #"{"lux":null}"#, "None"),
        ("lid_closed", #"{"lidClosed":true,"tabletMode":null,"docked":false}"#, "ON"),
        ("tablet_mode", #"{"lidClosed":true,"tabletMode":null,"docked":false}"#, "None"),
        ("docked", #"{"lidClosed":true,"tabletMode":null,"docked":false}"#, "OFF"),
        ("brightness", #"{"screens":[],"brightness":0.6}"#, "60"),
        ("brightness", #"{"screens":[],"brightness":null}"#, "None"),
        ("network", #"{"reachable":true,"interface":"wlan0","kind":"wifi","addresses":[]}"#, "ON"),
        ("network", #"{"reachable":false,"interface":null,"kind":null,"addresses":[]}"#, "OFF"),
        ("network_kind", #"{"reachable":true,"interface":"wlan0","kind":"wifi","addresses":[]}"#, "wifi"),
        ("network_kind", #"{"reachable":false,"interface":null,"kind":null,"addresses":[]}"#, "None"),
        ("power", power, "-7.25"), ("power", noPower, "None"), ("energy", power, "31.5"), ("energy", noPower, "None"),
        ("health", power, "91"), ("health", noPower, "None"), ("time_to_empty", power, "15600"),
        ("time_to_full", power, "None"), ("temperature", power, "31.5"), ("temperature", noPower, "None"),
        ("sleep", #"{"state":"preparing","sleptFor":null}"#, "preparing"),
        ("slept_for", #"{"state":"awake","sleptFor":512.5}"#, "512.5"),
        ("slept_for", #"{"state":"awake","sleptFor":null}"#, "None"),
        ("locale", #"{"identifier":"de_CH","languages":["de"]}"#, "de_CH"),
        ("org_--example_--volume", #"{"level":37}"#, "2023-11-14T22:13:20.250000+00:00"),
        ("org_--example_--volume", "null", "None"),
        ("org_--example_--volume attributes", #"{"level":37}"#, #"{"level": 37}"#),
        ("org_--example_--volume attributes", "null", "{}"),
        ("org_--example_--volume_-m_level", #"{"level":37.5}"#, "37.5"),
        ("org_--example_--volume_-m_level", #"{"level":"high"}"#, "None"),
        ("org_--example_--volume_-m_level", "{}", "None"), ("org_--example_--volume_-m_level", "null", "None"),
        ("org_--example_--volume_-m_title", #"{"title":"Clocks"}"#, "Clocks"),
        ("org_--example_--volume_-m_title", #"{"title":7}"#, "7"),
        ("org_--example_--volume_-m_title", #"{"title":[1]}"#, "None"),
        ("org_--example_--volume_-m_title", "null", "None"), ("org_--example_--volume_-m_items", "{}", "None"),
        ("org_--example_--volume_-m_title", "{\"title\":\"\(long)yy\"}", long),
        ("org_--example_--volume_-m_items", #"{"items":true}"#, "true"),
        ("org_--example_--volume_-m_items", #"{"items":false}"#, "false"),
    ]

    private static func cases() throws -> [Case] {
        var cases = try states.map {
            Case(component: $0.component, payload: try state($0.value), expected: $0.expected)
        }
        cases.append(
            Case(
                component: "org_--example_--volume", payload: try state("{}", isSynchronized: false), expected: "None"))
        let shake = #"{"peak":2.5}"#
        cases.append(
            Case(
                component: "shake", payload: try state(shake, changes: 3),
                expected: #"{"changes": 3, "event_type": "shake", "peak": 2.5}"#))
        cases.append(Case(component: "shake", payload: try state(shake, changes: 0), expected: ""))
        for (message, expected) in [
            (StatusMessage(isOnline: true, instance: "ab12", aspects: ["battery"], version: "1.2.3"), "online"),
            (StatusMessage(isOnline: false, reason: .asleep, wakeEvery: 900), "online"),
            (StatusMessage(isOnline: false, reason: .lost), "offline"),
            (StatusMessage(isOnline: false, reason: .stopped), "offline"),
            (StatusMessage(isOnline: true, reason: .noBus), "offline"),
        ] {
            cases.append(Case(component: "availability", payload: try status(message), expected: expected))
        }
        return cases + (try hostileCases())
    }

    /// Values of another version or of a broker that lies: the state is unknown, and nothing is in Home Assistant's log.
    private static func hostileCases() throws -> [Case] {
        let components = Set(states.map(\.component)).filter { !$0.hasPrefix("org") }.sorted()
        let values = [
            "null", "{}",
            #"{"level":"x","chargeStatus":7,"plugged":"on","state":[],"pose":"sideways","lux":true,"brightness":"x","#
                + #""reachable":1,"kind":{},"power":[],"energy":"","health":false,"timeToEmpty":"","timeToFull":{},"#
                + #""packs":null,"identifier":7}"#,
        ]
        return try components.flatMap { component in
            try values.map { Case(component: component, payload: try state($0), expected: "None") }
        } + values.map { Case(component: "shake", payload: try state($0), expected: "") }
    }

    @Test("Home Assistant accepts the message of every configuration, and shows the state of each aspect, null or not")
    func schemas() throws {
        let device = try DeviceID("shop.7_-x")
        let all = Discovery(
            device: device, aspects: Self.aspects,
            members: [
                Self.names[0]: DiscoveryMember.members(of: ["level": 37, "title": "x", "items": true], before: [])
            ],
            version: "1.2.3")
        let discoveries = [
            all, Discovery(device: device, aspects: [], former: all.entities, version: "1.2.3"),
        ]
        let cases = try Self.cases()
        let input: JSONObject = [
            "messages": .array(
                discoveries.map {
                    [
                        "topic": .string(Discovery.topic(of: device)),
                        "payload": .string(String(decoding: $0.payload, as: UTF8.self)),
                    ]
                }),
            "states": .array(
                cases.map { one in
                    [
                        "message": 0, "component": .string(one.component),
                        "payload": .string(String(decoding: one.payload.bytes, as: UTF8.self)),
                        "expected": .string(one.expected),
                    ]
                }),
        ]
        let directory = try TemporaryDirectory()
        try directory.write(String(decoding: JSON.object(input).bytes, as: UTF8.self), to: "input.json")
        let output = directory.path + "/output"
        let python = try ChildProcess(
            [
                HomeAssistantPackage.path + "/bin/python", "-B",
                HomeAssistantPackage.root + "/Tests/FleetTests/home_assistant.py",
                directory.path + "/input.json", output,
            ],
            environment: Environment.all.merging(["PYTHONPATH": HomeAssistantPackage.path + "/package"]) { $1 }
        )
        try #require(python.wait() == 0)
        guard case .bytes(let report) = FileContents.read(output, limit: 1 << 20) else {
            Issue.record("no report")
            return
        }
        #expect(String(decoding: report, as: UTF8.self) == "\(cases.count) states\n")
    }
}
