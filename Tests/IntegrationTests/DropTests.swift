// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import Testing

/// The policy `drop` across restarts of the bus.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DropTests {
    private let bus: BusProcess
    private let device: Device
    private let subscription: Reveille.Subscription

    init() async throws {
        bus = try BusProcess()
        device = try await Device.connect(to: bus.address)
        subscription = try await device.subscribe(
            to: [.battery, .proximity], policies: [.battery: Policy(background: .drop)], name: "dropper")
    }

    /// Restarts the bus and waits until the subscriber has reconnected.
    private func restart() async throws {
        #expect(bus.stop() == 0)
        try bus.restart()
        while (try? await device.subscribers().contains { $0.name == "dropper" }) != true { await Task.yield() }
    }

    @Test("B39: dropped changes are not delivered after a restart of the bus that follows the wake")
    func droppedChangesAreNotDeliveredAfterARestart() async throws {
        try await device.post(.level(0.9))
        #expect(try await subscription.next()?.reading == .level(0.9))
        try await subscription.enterBackground()
        for level in [0.8, 0.7, 0.6] { try await device.post(.level(level)) }
        try await subscription.enterForeground()
        #expect(subscription.positions?.generations[.battery] == (try await device.state(of: .battery).generation))
        try await restart()
        try await device.post(.level(0.5))
        let event = try #require(await subscription.next())
        #expect(event.reading == .level(0.5))
        #expect(event.changes == 1)
    }

    @Test("B39: dropped changes are not delivered after a restart of the bus in the background")
    func droppedChangesAreNotDeliveredAfterARestartInTheBackground() async throws {
        try await subscription.enterBackground()
        for level in [0.8, 0.7] { try await device.post(.level(level)) }
        try await device.post(.proximity(.near))
        try await restart()
        try await device.post(.level(0.6))
        try await subscription.enterForeground()
        #expect(try await subscription.next()?.reading == .proximity(.near))
        try await device.post(.level(0.5))
        let event = try #require(await subscription.next())
        #expect(event.reading == .level(0.5))
        #expect(event.changes == 1)
    }

    @Test("B39: a change that was due before the background is delivered after the wake, with its state at that time")
    func changeThatWasDueIsDelivered() async throws {
        try await device.post(.level(0.9))
        try await subscription.enterBackground()
        for level in [0.8, 0.7] { try await device.post(.level(level)) }
        try await subscription.enterForeground()
        #expect(try await subscription.next()?.reading == .level(0.7))
    }
}
