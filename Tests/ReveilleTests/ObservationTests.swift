// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleLocal
import ReveilleSystem
import ReveilleTesting
import Testing

@testable import Reveille

/// An actor that records the calls of its observers.
private actor Witness {
    private(set) var seen: [String] = []
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    private var kept: [ObservationToken] = []

    func note(_ text: String) {
        seen.append(text)
        guard let (count, continuation) = waiting, seen.count >= count else { return }
        waiting = nil
        continuation.resume()
    }

    func wait(for count: Int) async {
        guard seen.count < count else { return }
        await withCheckedContinuation { waiting = (count, $0) }
    }

    func observe(_ device: Device, _ aspect: Aspect, as name: String) async throws -> ObservationToken {
        try await device.observe(aspect) { event in
            self.assertIsolated()
            self.note("\(name) \(event.changeCount)")
        }
    }

    /// Observes an aspect, and cancels another observer in the first call.
    func observe(_ device: Device, _ aspect: Aspect, cancelling index: Int) async throws {
        kept.append(
            try await device.observe(aspect) { _ in
                self.note("canceller")
                self.kept[index].cancel()
            })
    }

    func keep(_ observation: ObservationToken) {
        kept.append(observation)
    }

    func release() {
        kept = []
    }
}

@Suite(.timeLimit(.minutes(10))) struct ObservationTests {
    @Test("B24: observers on one actor are called in the order in which they were added")
    func observersAreCalledInOrder() async throws {
        let device = try await Device.inMemory()
        let witness = Witness()
        for number in 1...5 { await witness.keep(try await witness.observe(device, .proximity, as: "\(number)")) }
        for round in 1...20 {
            try await device.post(.proximity(round % 2 == 0 ? .far : .near))
            await witness.wait(for: 5 * round)
        }
        let expected = (1...20).flatMap { _ in (1...5).map { "\($0) 1" } }
        #expect(await witness.seen == expected)
        await witness.release()
    }

    @Test("B20: a closure that causes a change is called again")
    func closureMayCauseAChange() async throws {
        let device = try await Device.inMemory()
        let witness = Witness()
        let observation = try await device.observeConcurrently(.proximity) { event in
            Task {
                if event.reading == .proximity(.near) { try await device.post(.proximity(.far)) }
                await witness.note("\(event.reading)")
            }
        }
        try await device.post(.proximity(.near))
        await witness.wait(for: 2)
        #expect(await witness.seen.contains("far"))
        observation.cancel()
    }

    @Test("B21: a closure can cancel another observer without affecting the rest")
    func closureMayCancelAnother() async throws {
        let device = try await Device.inMemory()
        let witness = Witness()
        // The first observer cancels the second; the third is still called.
        try await witness.observe(device, .proximity, cancelling: 1)
        await witness.keep(try await witness.observe(device, .proximity, as: "second"))
        await witness.keep(try await witness.observe(device, .proximity, as: "third"))
        try await device.post(.proximity(.near))
        await witness.wait(for: 2)
        #expect(await witness.seen == ["canceller", "third 1"])
        try await device.post(.proximity(.far))
        await witness.wait(for: 4)
        #expect(await witness.seen.suffix(2) == ["canceller", "third 1"])
        await witness.release()
    }

    @Test("B22: events pending at a background from a closure are merged with the changes in the background")
    func backgroundFromInsideKeepsTheRest() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity, .orientation])
        try await subscription.enterBackground()
        try await device.post(.proximity(.near))
        try await device.post(.orientation(Orientation(pose: .faceUp, planar: nil)))
        try await subscription.enterForeground()
        #expect(try await subscription.next()?.aspect == .proximity)
        try await subscription.enterBackground()
        try await device.post(.orientation(Orientation(pose: .faceDown, planar: nil)))
        try await subscription.enterForeground()
        let event = try #require(await subscription.next())
        #expect(event.changeCount == 2)
        #expect(event.reading == .orientation(Orientation(pose: .faceDown, planar: nil)))
    }

    @Test("B85: observers of an aspect share a subscription, receive one copy each and leave nothing behind")
    func manyObserversReceiveOneCopyEach() async throws {
        let device = try await Device.inMemory()
        let witness = Witness()
        for number in 1...500 { await witness.keep(try await witness.observe(device, .proximity, as: "\(number)")) }
        #expect(try await device.shell.subscriptions().count == 1)
        try await device.post(.proximity(.near))
        await witness.wait(for: 500)
        #expect(await Set(witness.seen).count == 500)
        for _ in 0..<2_000 { try await device.observeConcurrently(.proximity) { _ in }.cancel() }
        #expect(try await device.shell.subscriptions().count == 1)
        await witness.release()
        try await waitUntilAllSubscriptionsEnd(to: device)
    }

    @Test("B86: a closure runs on the actor that created it") @MainActor
    func closureRunsOnItsActor() async throws {
        let device = try await Device.inMemory()
        let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
        let observation = try await device.observe(.proximity) { _ in
            MainActor.assertIsolated()
            continuation.yield()
        }
        try await device.post(.proximity(.near))
        var iterator = calls.makeAsyncIterator()
        await iterator.next()
        observation.cancel()
    }

    @Test("B87: after a token is released there are no further calls, even for a pending event")
    func releasedTokenEndsTheCalls() async throws {
        let queue = ObserverQueue(on: nil)
        let observer = Observer(SubscriptionRequest(), queue: queue) { _ in Issue.record("called after its release") }
        observer.receive(.events([.of(.proximity(.near), 1)]))
        observer.cancel()
        observer.call()

        let device = try await Device.inMemory()
        let witness = Witness()
        let first = try await witness.observe(device, .proximity, as: "first")
        let second = try await witness.observe(device, .proximity, as: "second")
        try await device.enterBackground()
        try await device.post(.proximity(.near))
        first.cancel()
        try await device.enterForeground()
        await witness.wait(for: 1)
        #expect(await witness.seen == ["second 1"])
        second.cancel()
    }

    @Test("B62: a closure that runs for too long is logged once, and others are still called")
    func longRunningClosureIsLoggedOnce() throws {
        let lines = Lock<[String]>([])
        let loop = try EventLoop()
        let logger = Logger(label: "test") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
        let observers = try SharedObservation(of: .proximity, loop: loop, logger: logger, patience: .milliseconds(20))
        let queue = ObserverQueue(on: nil)
        let release = try Pipe()
        let observer = Observer(SubscriptionRequest(), queue: queue) { _ in _ = release.waitForWake() }
        let other = EventMailbox()
        observers.add(1, observer, wantsCurrent: false)
        observers.add(2, other, wantsCurrent: false)
        observers.receive(.start([.of(.proximity(.far), 1)], instance: "i"))
        observers.receive(.events([.of(.proximity(.near), 2)]))
        // Wait for ten more rounds after the first log line.
        var rounds = 0
        var pulse: EventSource?
        pulse = try loop.timer {
            if lines.withLock({ !$0.isEmpty }) { rounds += 1 }
            if rounds > 10 { loop.exit() } else { pulse?.fire(after: .milliseconds(10)) }
        }
        pulse?.fire(after: .milliseconds(10))
        try loop.run()
        #expect(lines.withLock { $0.count } == 1)
        #expect(try other.nextIfDue() != nil)
        observer.cancel()
        release.wake()
    }
}

struct LineHandler: LogHandler {
    let take: @Sendable (String) -> Void
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(_ take: @escaping @Sendable (String) -> Void) {
        self.take = take
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        take("\(event.message)")
    }
}

func waitUntilAllSubscriptionsEnd(to device: Device) async throws {
    while try await !device.shell.subscriptions().isEmpty { await Task.yield() }
}
