// SPDX-License-Identifier: Apache-2.0

import ReveilleLocal
import ReveilleTesting
import Testing

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct StressTests {
    private static let rounds = 8_000
    private static let tasks = 8

    @Test("B84: subscribing, cancelling and posting eight thousand times in eight tasks leaves nothing behind")
    func subscribeCancelAndPostTogether() async throws {
        let device = try await Device.inMemory()
        let one = try await device.observeConcurrently(.proximity) { _ in }
        try await withThrowingTaskGroup { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    for round in 0..<Self.rounds / Self.tasks {
                        switch round % 50 {
                        case 0:
                            let subscription = try await device.subscribe(to: [.proximity, .battery])
                            if round % 100 == 0 { try await subscription.enterBackground() }
                            subscription.cancel()
                        case 1...10:
                            try await device.post(.proximity(round % 2 == task % 2 ? .near : .far))
                        default:
                            try await device.observeConcurrently(.proximity) { _ in }.cancel()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // Streams are closed asynchronously after a cancellation.
        while try await device.shell.subscriptions().count > 1 { await Task.yield() }
        one.cancel()
        try await waitUntilAllSubscriptionsEnd(to: device)
    }
}
