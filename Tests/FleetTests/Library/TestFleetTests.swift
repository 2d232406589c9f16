// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleet
import ReveilleFleetCore
import ReveilleFleetTesting
import Testing

@Suite("A fleet in memory", .timeLimit(.minutes(10))) struct TestFleetTests {
    private static let volume: Aspect = "org.example.volume"

    private func battery(_ level: Double) -> Reading { .battery(Battery(state: .unplugged, level: level)) }

    /// The device, the aspect and the number of changes of a state; the device and the reason of a status.
    private func text(_ event: FleetEvent?) -> String {
        switch event {
        case .state(let state): "\(state.device) \(state.aspect) \(state.changeCount.map { "\($0)" } ?? "unknown")"
        case .status(let status):
            "\(status.device) \(status.reason?.rawValue ?? (status.isOnline ? "online" : "offline"))"
        case .caughtUp: "caught up"
        default: "\(event as Any)"
        }
    }

    private func code(_ body: () async throws -> Void) async -> FleetError.Code? {
        await #expect(throws: FleetError.self) { try await body() }?.code
    }

    private func next(_ count: Int, of events: FleetEvents) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<count { texts.append(text(try await events.next())) }
        return texts
    }

    @Test("posted states connect their device, and merge until a reader takes them") func posted() async throws {
        let fleet = try await TestFleet.inMemory()
        try await fleet.post(battery(0.5), on: "kiosk-7")
        let events = try await fleet.events()
        #expect(try await next(3, of: events) == ["kiosk-7 online", "kiosk-7 battery unknown", "caught up"])
        for level in [0.4, 0.3, 0.2] { try await fleet.post(battery(level), on: "kiosk-7") }
        guard case .state(let state)? = try await events.next() else { return #expect(Bool(false)) }
        #expect(state.changeCount == 3 && state.reading == battery(0.2))
        try await fleet.publish(Self.volume, ["level": 0.5], on: "shop.1")
        #expect(try await next(2, of: events) == ["shop.1 online", "shop.1 org.example.volume unknown"])
    }

    @Test("what changes in the background is one event with the number of changes") func merged() async throws {
        let fleet = try await TestFleet.inMemory()
        let events = try await fleet.events(devices: ["kiosk-*"], aspects: [.battery, Self.volume])
        try await fleet.post(battery(1), on: "kiosk-7")
        #expect(try await Set(next(3, of: events)) == ["kiosk-7 online", "kiosk-7 battery unknown", "caught up"])
        await fleet.enterBackground()
        for step in 1...20 { try await fleet.post(battery(1 - Double(step) / 100), on: "kiosk-7") }
        // An equal state is not a change, and nobody reads the others.
        try await fleet.post(battery(0.8), on: "kiosk-7")
        try await fleet.post(.proximity(.near), battery(0.8), on: "kiosk-7")
        try await fleet.post(battery(0.1), on: "shop-1", status: .asleep)
        await fleet.enterForeground()
        #expect(try await next(2, of: events) == ["kiosk-7 battery 20", "caught up"])
        try await fleet.post(battery(0.7), on: "kiosk-7")
        let later = try await fleet.events(devices: ["kiosk-7"], aspects: [.battery], resume: events.positions)
        #expect(try await next(3, of: later) == ["kiosk-7 online", "kiosk-7 battery 1", "caught up"])
    }

    @Test("a status is an event, and the next state connects the device again") func status() async throws {
        let fleet = try await TestFleet.inMemory()
        try await fleet.post(on: "kiosk-7")
        let events = try await fleet.events()
        #expect(try await next(2, of: events) == ["kiosk-7 online", "caught up"])
        for reason in DeviceStatus.Reason.allCases {
            try await fleet.post(on: "kiosk-7", status: reason)
            guard case .status(let status)? = try await events.next() else { return #expect(Bool(false)) }
            #expect(status.reason == reason && status.isOnline == (reason == .noBus))
        }
        try await fleet.post(battery(0.5), on: "kiosk-7")
        #expect(try await next(2, of: events) == ["kiosk-7 online", "kiosk-7 battery unknown"])
    }

    @Test("what no device could send is refused, and nobody reads it") func refused() async throws {
        let fleet = try await TestFleet.inMemory()
        for device in ["", "group", "a/b", "+", "kiosk 7", String(repeating: "k", count: 65)] {
            #expect(await code { try await fleet.post(battery(0.5), on: device) } == .invalidName)
            #expect(await code { try await fleet.publish(Self.volume, ["a": 1], on: device) } == .invalidName)
            #expect(await code { try await fleet.post(on: device, status: .lost) } == .invalidName)
        }
        for level in [1.5, -1, .nan] {
            #expect(await code { try await fleet.post(battery(level), on: "kiosk-7") } == .unexpectedValue)
        }
        for name in ["battery", "volume", "org.example.*", "org..a", "org/a.b"] as [Aspect] {
            #expect(await code { try await fleet.publish(name, ["a": 1], on: "kiosk-7") } == .invalidName)
        }
        #expect(await code { try await fleet.publish(Self.volume, 1, on: "kiosk-7") } == .unexpectedValue)
        let events = try await fleet.events()
        #expect(try await next(1, of: events) == ["caught up"])
    }

    @Test("an awaited event ends when its events are cancelled, even after the fleet") func released() async throws {
        var fleet: Fleet? = try await TestFleet.inMemory()
        let events = try #require(try await fleet?.events())
        #expect(try await next(1, of: events) == ["caught up"])
        let awaited = Task { try await events.next() }
        try await fleet?.post(battery(0.5), on: "kiosk-7")
        #expect(text(try await awaited.value) == "kiosk-7 online")
        fleet = nil
        #expect(try await next(1, of: events) == ["kiosk-7 battery unknown"])
        let last = Task { try await events.next() }
        events.cancel()
        #expect(try await last.value == nil)
    }
}
