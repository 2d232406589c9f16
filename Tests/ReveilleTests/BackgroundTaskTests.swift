// SPDX-License-Identifier: Apache-2.0

import ReveilleLocal
import ReveilleSystem
import Testing

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct BackgroundTaskTests {
    private struct Failed: Error {}

    /// Waits until the bus lists exactly these tasks.
    private func waitForTasks(_ names: [String], on device: Device) async throws {
        while try await device.shell.subscriptions().flatMap(\.tasks).map(\.name) != names { await Task.yield() }
    }

    @Test("the bus lists a task while its operation runs, and its result is returned")
    func taskIsListedDuringItsOperation() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.battery])
        let result = try await subscription.withBackgroundTask("upload") { task in
            #expect(task.name == "upload" && task.failure == nil && !task.isExpiring)
            #expect(try await device.shell.subscriptions().first?.tasks.map(\.name) == ["upload"])
            #expect(await task.remaining == nil)
            try await subscription.enterBackground()
            let remaining = try #require(await task.remaining)
            #expect(remaining <= .seconds(30) && remaining > .seconds(1))
            return 7
        }
        #expect(result == 7)
        try await waitForTasks([], on: device)
    }

    @Test("a task ends when its operation throws or is cancelled")
    func taskEndsOnErrors() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.battery])
        await #expect(throws: Failed.self) {
            try await subscription.withBackgroundTask("upload") { _ in throw Failed() }
        }
        try await waitForTasks([], on: device)
        let canceled = Task {
            try await subscription.withBackgroundTask("sync") { _ in
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        try await waitForTasks(["sync"], on: device)
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        try await waitForTasks([], on: device)
    }

    @Test("the expiration is called once, and the operation continues after the end of the time")
    func expirationIsCalledOnce() async throws {
        let device = try await Device.inMemory("{ lifecycle: { taskTime: 0.05 } }")
        let subscription = try await device.subscribe(to: [.battery])
        let calls = Lock(0)
        try await subscription.withBackgroundTask("upload") { task in
            try await subscription.enterBackground()
            while !task.isExpiring { await Task.yield() }
            while await task.remaining != .zero { await Task.yield() }
            #expect(task.failure == nil)
            try await subscription.enterForeground()
            #expect(task.isExpiring)
        } onExpiration: {
            calls.withLock { $0 += 1 }
        }
        #expect(calls.withLock { $0 } == 1)
        // The foreground has restored the time.
        await subscription.withBackgroundTask("next") { task in #expect(!task.isExpiring && task.failure == nil) }
    }

    @Test("an operation runs without a task if the bus refuses it, or if the subscription has ended")
    func operationRunsWithoutATask() async throws {
        let device = try await Device.inMemory("{ lifecycle: { tasks: 0 } }")
        let subscription = try await device.subscribe(to: [.battery])
        let code = await subscription.withBackgroundTask("upload") { $0.failure?.code }
        #expect(code == .quotaExceeded)
        let invalid = await subscription.withBackgroundTask("") { $0.failure?.code }
        #expect(invalid == .invalidArgument)
        subscription.cancel()
        while try await !device.shell.subscriptions().isEmpty { await Task.yield() }
        let late = await subscription.withBackgroundTask("upload") { $0.failure?.code }
        #expect(late == .noSuchSubscription)
    }
}
