// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import Testing

/// The library with a real bus that is slow and restarts, and whose connections break at any point.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SlowBusTests {
    private static let steps = 80

    @Test(arguments: 0..<4 as Range<UInt64>) func consumerReceivesEveryChangeOnce(_ seed: UInt64) async throws {
        let bus = try BusProcess()
        let relay = try SlowRelay(at: bus.directory.path + "/relay", to: bus.socket, seed: seed)
        defer { relay.stop() }
        // Posts bypass the relay.
        let control = try await Device.connect(to: bus.address)
        let first = try await control.get(.battery).generation
        let device = try await Self.connect(to: relay)
        let subscription = try await Self.subscribe(on: device)
        let sum = Lock(0)
        let consumer = Task {
            while let event = try await subscription.next() { sum.withLock { $0 += event.changeCount } }
        }
        var random = SplitMix64(seed: seed)
        for step in 0..<Self.steps {
            _ = try? await control.post(.level(Double(step % 50) / 50))
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                #expect(bus.stop() == 0)
                try bus.restart()
            case 1...4: try? await subscription.enterBackground()
            case 5...8: try? await subscription.enterForeground()
            default: break
            }
        }
        while (try? await subscription.enterForeground()) == nil {}
        var last: Event?
        while last == nil { last = try? await control.get(.battery) }
        let generation = try #require(last).generation
        while subscription.positions?.generations[.battery] != generation { backOff() }
        subscription.cancel()
        try await consumer.value
        #expect(sum.withLock { $0 } == generation - first)
    }

    private static func connect(to relay: SlowRelay) async throws -> Device {
        while true {
            if let device = try? await Device.connect(to: relay.address) { return device }
        }
    }

    private static func subscribe(on device: Device) async throws -> Reveille.Subscription {
        while true {
            if let subscription = try? await device.subscribe(to: .battery) { return subscription }
        }
    }
}
