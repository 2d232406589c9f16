// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import Testing
import Varlink

@Suite("What a fleet sets on a device")
struct DesiredStatesTests {
    static let name = "org.example.mode"
    let device: DeviceID
    var states: DesiredStates

    init() throws {
        device = try DeviceID("kiosk-7")
        states = DesiredStates(device: device, groups: ["shops", "all"], allowed: ["org.example.*"])
    }

    func counted(_ generation: Int64, _ mode: String, instance: String = "s") -> [UInt8] {
        DesiredMessage(instance: instance, generation: generation, changedAt: nil, value: ["mode": .string(mode)]).bytes
    }

    func published(_ effects: [DesiredStates.Effect]) -> [JSONObject] {
        effects.compactMap { if case .publish(Self.name, let value, _) = $0 { value } else { nil } }
    }

    /// The generations on the bus that published values stand for.
    func targets(_ effects: [DesiredStates.Effect]) -> [Int64?] {
        effects.compactMap { effect in
            if case .publish(Self.name, _, let target) = effect { .some(target?.generation) } else { nil }
        }
    }

    /// The position of a name on the bus that has just taken a value.
    func bus(at generation: Int64 = 100) -> FleetPosition {
        FleetPosition(instance: "bus", generation: generation)
    }

    /// Lets the bus take everything.
    mutating func settle(_ effects: [DesiredStates.Effect]) -> [DesiredStates.Effect] {
        effects
            + effects.flatMap { effect -> [DesiredStates.Effect] in
                switch effect {
                case .publish(let name, _, let target): settle(states.answered(name, at: target ?? bus()))
                case .withdraw(let name): settle(states.answered(name, at: bus()))
                default: []
                }
            }
    }

    @Test("a device that was away receives the newest value once, with its count")
    mutating func away() {
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        #expect(published(settle(states.endCollection(isComplete: true))).count == 1)
        var again = DesiredStates(
            device: device, groups: [], allowed: ["org.example.*"], from: states.applied)
        again.begin()
        #expect(again.take(.desired(device, Self.name), counted(8, "night")).isEmpty)
        let effects = again.endCollection(isComplete: true)
        #expect(published(effects) == [["mode": "night"]])
        #expect(targets(effects) == [105])
    }

    @Test("the same value is for the same generation again, after a restart of the bridge or of the bus")
    mutating func again() throws {
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        _ = settle(states.endCollection(isComplete: true))
        #expect(targets(settle(states.take(.desired(device, Self.name), counted(5, "night")))) == [102])
        let saved = BridgePositions(uplink: try Uplink(aspects: []).positions, desired: states.applied)
        var later = DesiredStates(
            device: device, groups: [], allowed: ["org.example.*"],
            from: try BridgePositions(parsing: saved.bytes).desired)
        _ = later.take(.desired(device, Self.name), counted(5, "night"))
        #expect(targets(later.endCollection(isComplete: true)) == [102])
        _ = later.answered(Self.name, at: bus(at: 102))
        #expect(targets(later.publishAll()) == [102])
    }

    @Test("a value whose answer was lost is counted once, with those that follow")
    mutating func lostAnswer() {
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        _ = settle(states.endCollection(isComplete: true))
        #expect(targets(states.take(.desired(device, Self.name), counted(4, "night"))) == [101])
        // The bus has taken it, and the bridge is killed.
        var later = DesiredStates(device: device, groups: [], allowed: ["org.example.*"], from: states.applied)
        _ = later.take(.desired(device, Self.name), counted(5, "day"))
        #expect(targets(later.endCollection(isComplete: true)) == [102])
    }

    @Test("a bus with impossible generations ends nothing", arguments: [Int64.min, -1, .max])
    mutating func impossibleGeneration(generation: Int64) throws {
        _ = states.take(.desired(device, Self.name), counted(1, "day"))
        _ = states.endCollection(isComplete: true)
        _ = states.answered(Self.name, at: bus(at: generation))
        #expect(published(states.take(.desired(device, Self.name), counted(1 << 52, "night"))).count == 1)
        let saved = BridgePositions(uplink: try Uplink(aspects: []).positions, desired: states.applied)
        #expect(try BridgePositions(parsing: saved.bytes).desired == states.applied)
    }

    @Test("only counted values that the bus has taken are reported as taken")
    mutating func taken() {
        _ = states.take(.desired(device, "org.example.plain"), [0x7B, 0x7D])
        _ = states.take(.desired(device, Self.name), counted(3, "day"))
        let effects = states.endCollection(isComplete: true)
        #expect(states.taken.isEmpty)
        #expect(!states.isDone)
        _ = settle(effects)
        #expect(states.taken == [Self.name: FleetPosition(instance: "s", generation: 3)])
        #expect(states.isDone)
    }

    @Test("the device has priority over its groups, in their order; a deletion falls back, and then withdraws")
    mutating func precedence() {
        _ = states.take(.groupDesired("all", Self.name), counted(1, "all", instance: "a"))
        _ = states.take(.groupDesired("shops", Self.name), counted(1, "shops", instance: "b"))
        _ = states.take(.desired(device, Self.name), counted(1, "own", instance: "c"))
        #expect(published(settle(states.endCollection(isComplete: true))) == [["mode": "own"]])
        #expect(published(settle(states.take(.desired(device, Self.name), []))) == [["mode": "shops"]])
        #expect(published(settle(states.take(.groupDesired("shops", Self.name), []))) == [["mode": "all"]])
        #expect(settle(states.take(.groupDesired("all", Self.name), [])) == [.withdraw(Self.name), .save])
        #expect(states.applied.isEmpty)
    }

    @Test("a name that was deleted meanwhile is withdrawn when all others have arrived, and not before")
    mutating func deletedMeanwhile() {
        _ = states.take(.desired(device, Self.name), counted(1, "day"))
        _ = settle(states.endCollection(isComplete: true))
        states.begin()
        let incomplete = states.endCollection(isComplete: false)
        #expect(!incomplete.contains(.withdraw(Self.name)))
        _ = settle(incomplete)
        states.begin()
        #expect(states.endCollection(isComplete: true).contains(.withdraw(Self.name)))
    }

    @Test("a broker that lost its memory withdraws nothing, even later, until a value is deleted")
    mutating func forgottenByBroker() throws {
        _ = states.take(.desired(device, Self.name), counted(1, "day"))
        _ = settle(states.endCollection(isComplete: true))
        states.begin()
        let effects = states.endCollection(isComplete: true, hasForgotten: true)
        #expect(!effects.contains(.withdraw(Self.name)))
        _ = settle(effects)
        let saved = BridgePositions(
            uplink: try Uplink(aspects: []).positions, desired: states.applied)
        var later = DesiredStates(
            device: device, groups: [], allowed: ["org.example.*"],
            from: try BridgePositions(parsing: saved.bytes).desired)
        // The broker now knows the device, but still not what was desired.
        #expect(!later.endCollection(isComplete: true).contains(.withdraw(Self.name)))
        #expect(later.take(.desired(device, Self.name), []) == [.withdraw(Self.name)])
    }

    @Test("a broker with an older memory withdraws nothing, and the newer value stays")
    mutating func olderMemory() {
        _ = states.take(.desired(device, Self.name), counted(5, "night"))
        _ = settle(states.endCollection(isComplete: true))
        states.begin()
        #expect(!states.isSettled)
        _ = states.take(.desired(device, Self.name), counted(4, "day"))
        #expect(states.isSettled)
        let effects = states.endCollection(isComplete: true)
        #expect(!effects.contains(.withdraw(Self.name)))
        #expect(published(effects) == [["mode": "night"]])
    }

    @Test("values that the bus did not take are published with the count of all of them when it takes one")
    mutating func absentBus() {
        _ = states.take(.desired(device, Self.name), counted(1, "a"))
        _ = settle(states.endCollection(isComplete: true))
        #expect(published(states.take(.desired(device, Self.name), counted(2, "b"))).count == 1)
        #expect(states.answered(Self.name, at: nil) == [.retry(isSoon: true)])
        _ = states.take(.desired(device, Self.name), counted(3, "c"))
        // While a call is under way, newer values wait.
        #expect(states.take(.desired(device, Self.name), counted(4, "d")).isEmpty)
        // It is published at once, as another one.
        #expect(targets(states.answered(Self.name, at: nil)) == [103])
        #expect(states.answered(Self.name, at: nil) == [.retry(isSoon: true)])
        #expect(targets(states.publishAll()) == [103])
        #expect(states.answered(Self.name, at: bus(at: 103)) == [.save])
        #expect(states.retry().isEmpty)
    }

    @Test("a deletion that the bus did not take is repeated, even after a restart")
    mutating func absentBusForDeletion() {
        _ = states.take(.desired(device, Self.name), counted(1, "a"))
        _ = settle(states.endCollection(isComplete: true))
        #expect(states.take(.desired(device, Self.name), []) == [.withdraw(Self.name)])
        #expect(states.answered(Self.name, at: nil) == [.retry(isSoon: true)])
        var later = DesiredStates(device: device, groups: [], allowed: ["org.example.*"], from: states.applied)
        #expect(later.endCollection(isComplete: true) == [.withdraw(Self.name)])
        #expect(states.retry() == [.withdraw(Self.name)])
        #expect(states.answered(Self.name, at: bus()) == [.save])
        #expect(states.applied.isEmpty)
    }

    @Test("names that may not be set are reported once a connection, and for groups not at all")
    mutating func forbiddenNames() {
        for connection in 1...2 {
            states.begin()
            let reports = (1...1_000).flatMap { states.take(.desired(device, "com.example.n\($0)"), [0x7B, 0x7D]) }
            #expect(reports.count == 1, "connection \(connection)")
            #expect(states.take(.groupDesired("all", "com.example.a"), [0x7B, 0x7D]).isEmpty)
        }
    }

    @Test("the values of a fleet have a limit in bytes")
    mutating func sizeLimit() {
        let payload = Array("{\"text\":\"\(String(repeating: "x", count: 60_000))\"}".utf8)
        let ignored = (0..<20).flatMap { states.take(.desired(device, "org.example.n\($0)"), payload) }
        #expect(ignored.count == 3)
        #expect(
            settle(states.endCollection(isComplete: true)).count { if case .publish = $0 { true } else { false } } == 17
        )
    }

    @Test("a plain value has no count")
    mutating func plain() {
        _ = states.take(.desired(device, Self.name), Array(#"{"mode":"night"}"#.utf8))
        let effects = settle(states.endCollection(isComplete: true))
        #expect(published(effects) == [["mode": "night"]])
        #expect(targets(effects + states.publishAll()) == [nil, nil])
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
        _ = settle(states.endCollection(isComplete: true))
        let effects = states.take(.desired(device, name), Array(payload.utf8))
        guard case .ignored(_, let text)? = effects.first else {
            Issue.record("not ignored: \(effects)")
            return
        }
        #expect(text.contains(reason))
        #expect(published(effects).isEmpty)
        #expect(published(states.publishAll()) == [["mode": "day"]])
    }
}
