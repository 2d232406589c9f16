// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing
import Varlink

@testable import ReveilleFleetCore

@Suite("Discovery of Home Assistant")
struct DiscoveryTests {
    private func components(_ discovery: Discovery) throws -> JSONObject {
        let object = try #require(try JSON.parse(discovery.payload).objectValue)
        return try #require(object["cmps"]?.objectValue)
    }

    private func discovery(
        _ aspects: [String], members: [String: [DiscoveryMember]] = [:], former: [String] = [],
        device: String = "kiosk-7"
    ) throws -> Discovery {
        Discovery(
            device: try DeviceID(device), aspects: aspects, members: members, former: former, version: "1.2.3")
    }

    @Test("the message is on the device's own topic") func topics() throws {
        #expect(Discovery.topic(of: try DeviceID("kiosk-7")) == "homeassistant/device/reveille/kiosk-7/config")
    }

    @Test("no escaped name is announced where the broker's rule permits another device")
    func escapedTopics() throws {
        for name in ["kiosk.7", "a_-b", "kiosk_--7"] {
            let (device, namesake) = (try DeviceID(name), try DeviceID(Discovery.escaped(name)))
            let topic = Discovery.topic(of: device)
            #expect(topic != "homeassistant/device/reveille/\(namesake)/config")
            #expect(device.rule(for: topic) == "user \(device)' and 'topic write \(topic)")
        }
    }

    @Test("only published aspects have entities, and the platform alone removes the other entities")
    func onlyPublished() throws {
        let components = try components(try discovery(["battery"]))
        #expect(components["battery"]?.objectValue?["state_topic"] == "reveille/v1/kiosk-7/state/battery")
        #expect(components["locale"] == ["p": "sensor"])
        let entities = components.members.filter { $0.value.objectValue?["unique_id"] != nil }.map(\.name)
        #expect(entities == ["asleep", "wakes_at", "battery", "plugged", "charging"])
        #expect(components["wakes_at"]?.objectValue?["state_topic"] == "reveille/v1/kiosk-7/status")
    }

    @Test("a published name is the time of its last change with its value as attributes, until it is withdrawn")
    func names() throws {
        let name = try #require(
            try components(try discovery(["org.example.volume"]))["org_--example_--volume"]?.objectValue)
        #expect(name["device_class"] == "timestamp")
        #expect(name["json_attributes_topic"] == "reveille/v1/kiosk-7/state/org.example.volume")
        let former = try discovery(["org.example.volume"]).entities
        let later = try components(try discovery(["battery"], former: former))
        #expect(later["org_--example_--volume"] == ["p": "sensor"])
        #expect(
            try components(try discovery(["motion", "defaults", "folders"])).members.allSatisfy {
                ["asleep", "wakes_at"].contains($0.name) == ($0.value.objectValue?["unique_id"] != nil)
            })
    }

    private func members(_ value: JSONObject, before: [DiscoveryMember] = []) -> [DiscoveryMember] {
        DiscoveryMember.members(of: value, before: before)
    }

    @Test("each number, text and boolean of a name's state is a sensor of its own, and is removed when it is gone")
    func memberEntities() throws {
        let name = "org.example.player"
        let all = members(["level": 0.5, "title": "Clocks", "muted": true, "tags": [], "more": [:], "none": .null])
        #expect(all.map(\.name) == ["level", "title", "muted"])
        let first = try discovery([name], members: [name: all, "org.example.other": all])
        let shown = try components(first)
        let level = try #require(shown["org_--example_--player_-m_level"]?.objectValue)
        #expect(level["state_topic"] == .string("reveille/v1/kiosk-7/state/\(name)"))
        #expect(level["state_class"] == "measurement")
        #expect(level["name"] == .string("\(name) level"))
        #expect(shown["org_--example_--player_-m_title"]?.objectValue?["state_class"] == nil)
        #expect(first.entities.count == 4)
        let later = try discovery(
            [name], members: [name: members(["level": .null], before: all)], former: first.entities)
        let rest = try components(later)
        #expect(rest["org_--example_--player_-m_level"]?.objectValue?["unique_id"] != nil)
        #expect(rest["org_--example_--player_-m_title"] == ["p": "sensor"])
        #expect(later.entities.count == 2)
    }

    @Test("a member cannot break out of its template, and no state fills the message")
    func hostileMembers() {
        #expect(members(["']}}": 1, "a'b": 1, "": 1, "größe": 1, "a-b_c": 1]).map(\.name) == ["a-b_c"])
        let many = JSONObject(members: (0..<700).map { JSONObject.Member(name: "m\($0)", value: 1) })
        #expect(members(many).count == DiscoveryMember.limit)
    }

    @Test("a member has another key than any name") func memberKeys() {
        let texts = ["a", "a_", "a-", "a_-m", "a_-m_b", "m_a", "-a", "_a", "_-a"]
        let names = texts.flatMap { a in texts.map { "\(a).\($0)" } }
        let keys =
            names.map { DiscoveryEntity(name: $0).key }
            + names.flatMap { name in
                members(JSONObject(members: texts.map { .init(name: $0, value: 1) }))
                    .map { DiscoveryEntity($0, of: name).key }
            }
        #expect(Set(keys).count == keys.count)
    }

    @Test("identities have different identifiers of permitted characters, and plain ones stay as they are")
    func identifiers() throws {
        let letters = ["a", ".", "-", "_"]
        var texts = letters
        for _ in 1..<6 { texts += Set(texts).flatMap { text in letters.map { text + $0 } } }
        let all = Set(texts)
        let identifiers = Set(try all.map { Discovery.identifier(of: try DeviceID($0)) })
        #expect(identifiers.count == all.count)
        #expect(identifiers.allSatisfy { $0.utf8.allSatisfy(NameRule.isAllowed) })
        #expect(Discovery.identifier(of: try DeviceID("Kiosk-7_b")) == "reveille_Kiosk-7_b")
    }

    @Test("no two entities of a device have the same key")
    func keys() {
        let keys = DiscoveryEntity.builtIn.map(\.key)
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.utf8.allSatisfy(NameRule.isAllowed) })
    }

    @Test("only 'online' on Home Assistant's topic asks for the message again")
    func birth() {
        #expect(Discovery.birthTopic() == "homeassistant/status")
        #expect(Discovery.isBirth(Array("online".utf8)))
        #expect(!Discovery.isBirth(Array("offline".utf8)) && !Discovery.isBirth([]))
    }
}
