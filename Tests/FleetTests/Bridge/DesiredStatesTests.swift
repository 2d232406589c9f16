// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import Testing
import Varlink

@Suite("What a fleet sets on a device")
struct DesiredStatesTests {
    private static let name = "org.example.mode"
    private let device: DeviceID
    private var states: DesiredStates

    init() throws {
        device = try DeviceID("kiosk-7")
        states = DesiredStates(device: device, groups: ["shops", "all"], allowed: ["org.example.*"])
    }

    private func counted(_ generation: Int64, _ mode: String, instance: String = "s") -> [UInt8] {
        DesiredMessage(instance: instance, generation: generation, changedAt: nil, value: ["mode": .string(mode)]).bytes
    }

    private func published(_ effects: [DesiredStates.Effect]) -> [JSONObject] {
        effects.compactMap { effect in
            guard case .publish(Self.name, let state) = effect else { return nil }
            return state
        }
    }

    @Test("a device that was away receives the newest value once, with its count")
    mutating func away() {
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        #expect(published(states.endCollection(isComplete: true)).count == 1)
        var again = DesiredStates(
            device: device, groups: [], allowed: ["org.example.*"], from: states.positions)
        again.begin()
        #expect(again.take(.desired(device, Self.name), counted(8, "night")).isEmpty)
        let state = published(again.endCollection(isComplete: true)).first
        #expect(state?["changes"] == 5)
        #expect(state?["generation"] == 8)
        #expect(state?["value"] == ["mode": "night"])
    }

    @Test("the same value is the same state again, with its count, after a restart")
    mutating func again() {
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        _ = states.endCollection(isComplete: true)
        let first = published(states.take(.desired(device, Self.name), counted(5, "night")))
        var later = DesiredStates(device: device, groups: [], allowed: ["org.example.*"], from: states.positions)
        _ = later.take(.desired(device, Self.name), counted(5, "night"))
        #expect(published(later.endCollection(isComplete: true)) == first)
        #expect(published(later.publishAll()) == first)
    }

    @Test("the device has priority over its groups, in their order; a deletion falls back, and then withdraws")
    mutating func precedence() {
        _ = states.take(.groupDesired("all", Self.name), counted(1, "all", instance: "a"))
        _ = states.take(.groupDesired("shops", Self.name), counted(1, "shops", instance: "b"))
        _ = states.take(.desired(device, Self.name), counted(1, "own", instance: "c"))
        #expect(published(states.endCollection(isComplete: true)).map { $0["value"] } == [["mode": "own"]])
        #expect(published(states.take(.desired(device, Self.name), [])).map { $0["value"] } == [["mode": "shops"]])
        #expect(published(states.take(.groupDesired("shops", Self.name), [])).map { $0["value"] } == [["mode": "all"]])
        #expect(states.take(.groupDesired("all", Self.name), []) == [.withdraw(Self.name), .save])
    }

    @Test("a name that was deleted meanwhile is withdrawn when all others have arrived, and not before")
    mutating func deletedMeanwhile() {
        _ = states.take(.desired(device, Self.name), counted(1, "day"))
        _ = states.endCollection(isComplete: true)
        states.begin()
        #expect(!states.endCollection(isComplete: false).contains(.withdraw(Self.name)))
        states.begin()
        #expect(states.endCollection(isComplete: true).contains(.withdraw(Self.name)))
    }

    @Test("a plain value has no count")
    mutating func plain() {
        _ = states.take(.desired(device, Self.name), Array(#"{"mode":"night"}"#.utf8))
        let state = published(states.endCollection(isComplete: true)).first
        #expect(state == ["value": ["mode": "night"]])
    }

    @Test(
        "what is not allowed, not readable or older is ignored with the reason",
        arguments: [
            ("com.example.mode", "{}", "does not allow"), ("battery", "{}", "does not allow"),
            ("org.example.mode", "[]", "not a JSON object"), ("org.example.mode", "{", "not JSON"),
            ("org.example.mode", #"{"instance":"s","generation":2,"value":{}}"#, "older"),
        ])
    mutating func ignored(name: String, payload: String, reason: String) {
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        _ = states.endCollection(isComplete: true)
        let effects = states.take(.desired(device, name), Array(payload.utf8))
        guard case .ignored(_, let text)? = effects.first else {
            Issue.record("not ignored: \(effects)")
            return
        }
        #expect(text.contains(reason))
        #expect(published(effects).isEmpty)
        #expect(published(states.publishAll()).first?["value"] == ["mode": "day"])
    }

    @Test("a fleet cannot set more names than there is room for")
    mutating func limit() {
        for number in 0..<DesiredStates.nameLimit {
            #expect(states.take(.desired(device, "org.example.n\(number)"), counted(1, "x")).isEmpty)
        }
        #expect(!states.take(.desired(device, "org.example.more"), counted(1, "x")).isEmpty)
    }
}
