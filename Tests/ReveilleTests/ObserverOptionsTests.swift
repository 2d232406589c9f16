// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing

/// What observers want beyond their aspect.
@Suite(.timeLimit(.minutes(10))) struct ObserverOptionsTests {
    @Test("an observer has policies of its own, and shares its subscription only with observers that want the same")
    func observersHaveOptions() async throws {
        let device = try await Device.inMemory()
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        let slow = SubscriptionOptions(policies: [.proximity: Policy(interval: .seconds(86_400))])
        var same = slow
        same.initial = true
        var tokens: [ObservationToken] = []
        for options in [slow, same] {
            tokens.append(
                try await device.observeConcurrently(.proximity, options: options) {
                    continuation.yield($0.changeCount)
                })
        }
        tokens.append(try await device.observeConcurrently(.proximity) { continuation.yield(10 + $0.changeCount) })
        #expect(try await device.shell.subscriptions().count == 2)
        func next(_ count: Int) async -> [Int] { await calls.prefix(count).reduce(into: []) { $0.append($1) }.sorted() }
        #expect(await next(1) == [0])
        try await device.post(.proximity(.near))
        #expect(await next(3) == [1, 1, 11])
        for reading in [Proximity.far, .near] { try await device.post(.proximity(reading)) }
        #expect(await next(1).allSatisfy { $0 > 10 })
        #expect(try await device.shell.subscriptions().map(\.pending).contains([.proximity: 2]))
        tokens = []
        try await waitUntilAllSubscriptionsEnd(to: device)
    }

    @Test("an observer that begins in the background is called with the state that it asked for, and then at the wake")
    func observerBeginsInTheBackground() async throws {
        let device = try await Device.inMemory()
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        let options = SubscriptionOptions(initial: true, background: true)
        var numbers = calls.makeAsyncIterator()
        let token = try await device.observeConcurrently(.proximity, options: options) {
            continuation.yield($0.changeCount)
        }
        #expect(await numbers.next() == 0)
        for reading in [Proximity.near, .far, .near] { try await device.post(.proximity(reading)) }
        let subscription = try #require(try await device.shell.subscriptions().first)
        #expect(subscription.holds == .app && subscription.pending == [.proximity: 3])
        try await device.enterForeground()
        #expect(await numbers.next() == 3)
        token.cancel()
    }

    @Test("an observer that resumes is called with the changes since its positions") func observerResumes() async throws
    {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        try await device.post(.proximity(.near))
        _ = try await subscription.next()
        let options = SubscriptionOptions(resume: subscription.positions)
        for reading in [Proximity.far, .near, .far] { try await device.post(.proximity(reading)) }
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        var tokens: [ObservationToken] = []
        for _ in 0..<2 {
            tokens.append(
                try await device.observeConcurrently(.proximity, options: options) {
                    continuation.yield($0.changeCount)
                })
        }
        #expect(await calls.prefix(2).reduce(into: []) { $0.append($1) } == [3, 3])
    }
}
