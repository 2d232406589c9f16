// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import Testing

/// Published names of the Swift library, with a real bus that restarts.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PublishedNameTests {
    private static let name: Aspect = "org.example.volume"

    private let bus: BusProcess
    private let device: Device

    init() async throws {
        bus = try BusProcess()
        device = try await Device.connect(to: bus.address)
    }

    /// Stops or kills the bus, starts it again, and waits until a device has reconnected.
    private func restart(isKilled: Bool = false, isForgetful: Bool = false, for device: Device) async throws {
        var states = await device.connectionStates.makeAsyncIterator()
        #expect(await states.next() == .connected)
        if isKilled { bus.kill() } else { #expect(bus.stop() == 0) }
        #expect(await states.next() != .connected)
        if isForgetful { unlink(bus.socket + ".state.json") }
        try bus.restart()
        while let state = await states.next(), state != .connected {}
    }

    private func value(_ name: Aspect = name) async throws -> [String: Int]? {
        try await device.value(of: PublishedName(name))
    }

    @Test("a state that is published while connected is published again after a restart", arguments: [false, true])
    func tiedStateIsPublishedAgain(isKilled: Bool) async throws {
        let watcher = try await Device.connect(to: bus.address)
        let subscription = try await watcher.subscribe(to: [Self.name])
        try await device.publish(PublishedName(Self.name), ["step": 1], whileConnected: true)
        try await device.publish(PublishedName("org.example.other"), ["step": 1], whileConnected: true)
        #expect(try await subscription.next()?.value(as: [String: Int].self) == ["step": 1])
        for step in 2...4 {
            try await device.publish(PublishedName(Self.name), ["step": step], whileConnected: true)
            try await restart(isKilled: isKilled, for: device)
            #expect(try await value() == ["step": step])
            #expect(try await value("org.example.other") == ["step": 1])
        }
        var last: [String: Int]?
        while last != ["step": 4], let event = try await subscription.next() { last = try event.value() }
    }

    @Test("a tied state does not return over a newer one that lasts when the bus is back", arguments: [false, true])
    func newerStateStays(isKilled: Bool) async throws {
        let kept: Aspect = "org.example.other"
        for name in [Self.name, kept] {
            try await device.publish(PublishedName(name), ["step": 1], whileConnected: true)
        }
        let other = try await Device.connect(to: bus.address)
        try await other.publish(PublishedName(Self.name), ["step": 2])
        if isKilled { try bus.waitUntilSaved() }
        try await restart(isKilled: isKilled, for: device)
        #expect(try await value(kept) == ["step": 1])
        #expect(try await value() == ["step": 2])
        await device.close()
        while (try? await other.refresh()) == nil { backOff() }
        while try await other.value(of: PublishedName<[String: Int]>(kept)) != nil { backOff() }
        #expect(try await other.value(of: PublishedName<[String: Int]>(Self.name)) == ["step": 2])
    }

    @Test func stateThatWasWithdrawnIsNotPublishedAgain() async throws {
        try await device.publish(PublishedName(Self.name), ["step": 1], whileConnected: true)
        try await device.withdraw(PublishedName<[String: Int]>(Self.name))
        try await device.publish(PublishedName("org.example.gone"), ["step": 1], whileConnected: true)
        try await device.publish(PublishedName("org.example.stays"), ["step": 1], whileConnected: true)
        try await device.publish(PublishedName("org.example.stays"), ["step": 2])
        let other = try await Device.connect(to: bus.address)
        #expect(bus.stop() == 0)
        // Without a connection the call fails, but the state has ended.
        await #expect(throws: ReveilleError.self) {
            try await device.withdraw(PublishedName<[String: Int]>("org.example.gone"))
        }
        try bus.restart()
        while (try? await device.refresh()) == nil { backOff() }
        #expect(try await value() == nil)
        #expect(try await value("org.example.gone") == nil)
        #expect(try await value("org.example.stays") == ["step": 2])
        // Another program's value stays, because this device has nothing to publish again.
        while (try? await other.publish(PublishedName("org.example.stays"), ["step": 3])) == nil { backOff() }
        try await restart(for: device)
        #expect(try await value("org.example.stays") == ["step": 3])
    }

    @Test("the newest value for which there was no bus is published when it is back, and no older one")
    func newestValueIsPublished() async throws {
        let (late, untied): (Aspect, Aspect) = ("org.example.late", "org.example.untied")
        for name in [Self.name, untied] {
            try await device.publish(PublishedName(name), ["step": 1], whileConnected: true)
        }
        #expect(bus.stop() == 0)
        for (name, step) in [(Self.name, 2), (Self.name, 3), (late, 4), (untied, 5)] {
            let error = await #expect(throws: ReveilleError.self) {
                try await device.publish(PublishedName(name), ["step": step], whileConnected: name != untied)
            }
            #expect(error?.code == .noBus)
        }
        try bus.restart()
        while (try? await device.refresh()) == nil { backOff() }
        #expect(try await value() == ["step": 3])
        #expect(try await value(late) == ["step": 4])
        #expect(try await value(untied) == nil)
        let states = try await device.history(of: PublishedName<[String: Int]>(Self.name))
            .compactMap { try $0.value(as: [String: Int].self) }
        #expect(!states.contains(["step": 2]) && states.count { $0 == ["step": 1] } <= 1)
        // A refused value changes nothing.
        await #expect(throws: ReveilleError.self) {
            try await device.publish(
                PublishedName(Self.name), ["long": String(repeating: "a", count: 5_000)], whileConnected: true)
        }
        try await restart(for: device)
        #expect(try await value() == ["step": 3])
    }
}
