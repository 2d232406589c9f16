// SPDX-License-Identifier: Apache-2.0

import ReveilleLocal
import ReveilleTesting
import Testing

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct SubscriptionTests {
    @Test func wakeDeliversOneEventForEachChangedAspect() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: Set(Aspect.device))
        try await subscription.enterBackground()
        for step in 1...100 {
            try await device.post(.level(Double(step) / 100))
            try await device.post(.orientation(Orientation(pose: step % 2 == 0 ? .faceUp : .faceDown, planar: nil)))
        }
        try await subscription.enterForeground()
        let battery = try #require(await subscription.next())
        let orientation = try #require(await subscription.next())
        #expect(battery.reading == .level(1))
        #expect(battery.changeCount == 100)
        #expect(orientation.changeCount == 100)
        try await device.post(.proximity(.near))
        #expect(try await subscription.next()?.aspect == .proximity)
    }

    @Test func batchHasAllEventsOfAWake() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.battery, .proximity, .orientation])
        var batches = subscription.batches.makeAsyncIterator()
        for level in [0.5, 0.4] {
            try await subscription.enterBackground()
            try await device.post(.level(level))
            try await device.post(.proximity(level == 0.5 ? .near : .far))
            try await subscription.enterForeground()
            #expect(try await batches.next()?.map(\.aspect) == [.battery, .proximity])
        }
        subscription.cancel()
        #expect(try await batches.next() == nil)
    }

    @Test func slowConsumerReceivesOneMergedEvent() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.battery, .proximity])
        for step in 1...1_000 { try await device.post(.level(Double(step % 100) / 100)) }
        try await device.post(.proximity(.near))
        var batteries: [Event] = []
        while let event = try await subscription.next(), event.aspect == .battery { batteries.append(event) }
        // The last reply may arrive after the first event is taken.
        #expect(batteries.count <= 2)
        #expect(batteries.reduce(0) { $0 + $1.changeCount } == 1_000)
    }

    @Test func backgroundEndsAtItsDeadline() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        try await subscription.enterBackground(wakeAfter: .milliseconds(20))
        try await device.post(.proximity(.near))
        #expect(try await subscription.next()?.reading == .proximity(.near))
    }

    @Test func backgroundThatBeginsDuringAWakeEndsWithTheNextWake() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        for round in 1...50 {
            try await subscription.enterBackground()
            async let wake: Void = subscription.enterForeground()
            async let sleep: Void = subscription.enterBackground()
            _ = try await (wake, sleep)
            try await subscription.enterForeground()
            try #require(try await device.shell.subscriptions().allSatisfy(\.holds.isEmpty), "round \(round)")
        }
        try await device.post(.proximity(.near))
        #expect(try await subscription.next()?.reading == .proximity(.near))
    }

    @Test func wakeEndsABackgroundThatTheBusBeganLate() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        let id = try #require(try await device.shell.subscriptions().first?.id)
        // The bus executes a call after its client has timed out.
        try await device.engine.setState(of: id, isInBackground: true, wakeAfter: nil)
        try #require(try await device.shell.subscriptions().first?.holds == .app)
        try await device.post(.proximity(.near))
        try await subscription.enterForeground()
        #expect(try await subscription.next()?.reading == .proximity(.near))
    }

    @Test(arguments: [-0.1, 1.1, 1e300, .infinity, .nan])
    func invalidLevelIsRefusedAndPrinted(_ level: Double) async throws {
        let device = try await Device.inMemory()
        let error = await #expect(throws: ReveilleError.self) { try await device.post(.level(level)) }
        #expect(error?.code == .invalidArgument, "\(error as Any)")
        #expect(Reading.level(level).description.contains("\(level)"))
        try await device.post(.level(0.5))
    }

    @Test("a mistake in an argument is named in words") func mistakesAreNamed() async throws {
        let device = try await Device.inMemory()
        let none = await #expect(throws: ReveilleError.self) { try await device.subscribe(to: []) }
        #expect(none?.description == "a subscription needs at least one aspect, name or pattern")
        for (limit, reason) in [
            (0, "the policy of battery: it must hold at least 1 change"),
            (257, "Subscribe: InvalidParameter: policies.limit must be at most 256, as bus.history"),
        ] {
            let error = await #expect(throws: ReveilleError.self) {
                try await device.subscribe(
                    to: [.battery],
                    options: SubscriptionOptions(policies: [.battery: Policy(background: .hold(limit: limit))]))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.description == reason)
        }
        let dark = await #expect(throws: ReveilleError.self) { try await device.post(.light(Light(lux: -1))) }
        #expect(dark?.description.hasPrefix("Post: the value of light.lux is not allowed: ") == true, "\(dark as Any)")
    }

    @Test func cancelledTaskDoesNotAffectOthers() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        let first = Task { try await subscription.next() }
        first.cancel()
        #expect(try await first.value == nil)
        try await device.post(.proximity(.near))
        #expect(try await subscription.next()?.reading == .proximity(.near))
    }

    @Test func cancelledSubscriptionEndsItsIteration() async throws {
        let device = try await Device.inMemory()
        let subscription = try await device.subscribe(to: [.proximity])
        try await device.post(.proximity(.near))
        subscription.cancel()
        #expect(try await subscription.next() == nil)
    }

    @Test func subscriptionResumesFromThePositionsOfAnother() async throws {
        let device = try await Device.inMemory()
        let first = try await device.subscribe(to: [.battery, .proximity])
        try await device.post(.level(0.5))
        _ = try await first.next()
        let positions = try #require(first.positions)
        first.cancel()
        try await device.post(.level(0.4))
        try await device.post(.level(0.3))
        let second = try await device.subscribe(
            to: [.battery, .proximity], options: SubscriptionOptions(resume: positions))
        let event = try #require(await second.next())
        #expect(event.changeCount == 2)
        #expect(event.reading == .level(0.3))
    }
}
