// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

/// Devices in memory, on clocks that tests move.
@Suite(.timeLimit(.minutes(10))) struct TestClockTests {
    private static let tea = PublishedName<[String: Int]>("org.example.tea")
    /// A Monday at midnight in UTC, the default of a clock.
    private static let start = Timestamp(microseconds: 1_780_272_000_000_000)

    private func entry(_ time: ScheduleTime, ifMissed: MissedFirings = .fire) -> ScheduleRequest {
        ScheduleRequest("tea", publishing: Self.tea, time, value: [:], ifMissed: ifMissed)
    }

    @Test func nightOfFiringsIsOneEvent() async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(clock: clock)
        let subscription = try await device.subscribe(to: [Self.tea.aspect])
        // A firing on time is not missed, however far the clock moves at once.
        try await device.schedule(entry(.every(.minutes(5)), ifMissed: .skip))
        try await subscription.enterBackground(wakeAfter: .hours(8))
        #expect(await clock.advance(by: .hours(8)) == Self.start + .hours(8))
        #expect(try await subscription.next()?.changeCount == 96)
    }

    @Test func backgroundEndsAtItsDeadline() async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(clock: clock)
        let subscription = try await device.subscribe(to: [.proximity])
        try await subscription.enterBackground(wakeAfter: .hours(1))
        try await device.post(.proximity(.near))
        try await device.post(.proximity(.far))
        await clock.advance(by: .minutes(59))
        #expect(try await device.shell.subscriptions().first?.pending == [.proximity: 2])
        await clock.advance(by: .minutes(1))
        #expect(try await device.shell.subscriptions().first?.pending == [:])
        #expect(try await subscription.next()?.changeCount == 2)
    }

    @Test func intervalOfAPolicyPassesOnTheClock() async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(clock: clock)
        let subscription = try await device.subscribe(
            to: [.proximity], options: SubscriptionOptions(policies: [.proximity: Policy(interval: .hours(24))]))
        for proximity in [Proximity.near, .far, .near] { try await device.post(.proximity(proximity)) }
        #expect(try await subscription.next()?.changeCount == 1)
        await clock.advance(by: .hours(24))
        #expect(try await subscription.next()?.changeCount == 2)
    }

    @Test func timeOfATaskPassesOnTheClock() async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(configuration: "{ lifecycle: { taskTime: 60 } }", clock: clock)
        let subscription = try await device.subscribe(to: [.proximity], options: SubscriptionOptions(background: true))
        await subscription.withBackgroundTask("save") { task in
            await clock.advance(by: .seconds(50))
            #expect(!task.isExpiring)
            await clock.advance(by: .seconds(9))
            #expect(task.isExpiring)
        }
    }

    @Test func zonesHaveTheRulesOfTheTest() async throws {
        let device = try await TestDevice.inMemory(
            clock: TestClock(), zones: ["local": "CET-1CEST,M3.5.0,M10.5.0/3", "Test/Far": "<+14>-14"])
        #expect(try await device.schedule(entry(.daily(hour: 7))).next == Self.start + .hours(5))
        #expect(try await device.schedule(entry(.daily(hour: 7, zone: "UTC"))).next == Self.start + .hours(7))
        #expect(try await device.schedule(entry(.daily(hour: 7, zone: "Test/Far"))).next == Self.start + .hours(17))
        await #expect(throws: ReveilleError.self) {
            try await device.schedule(entry(.daily(hour: 7, zone: "No/Where")))
        }
    }

    @Test(
        arguments: [
            ("{ publish: 1 }", [:], "publish"), ("{}", ["Test/Zone": "sometimes"], "time zone Test/Zone"),
        ] as [(String, [String: String], String)])
    func invalidSurroundingsAreRefused(configuration: String, zones: [String: String], reason: String) async {
        let error = await #expect(throws: ReveilleError.self) {
            try await TestDevice.inMemory(configuration: configuration, zones: zones)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
    }

    @Test func centuryHasAllItsWeeks() async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(clock: clock)
        let subscription = try await device.subscribe(to: [Self.tea.aspect])
        try await device.schedule(entry(.weekly([.monday], hour: 7)))
        await clock.advance(by: .hours(24 * 7 * 5_200))
        #expect(try await subscription.next()?.changeCount == 5_200)
    }

    @Test(arguments: [.seconds(Int64.max), .seconds(Int64.min), .seconds(-1), .nanoseconds(1), .zero] as [Duration])
    func anyDurationLeavesTheDeviceUsable(duration: Duration) async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(clock: clock)
        let subscription = try await device.subscribe(to: [.proximity])
        try await subscription.enterBackground(wakeAfter: .hours(1))
        try await device.schedule(entry(.every(.hours(876_000))))
        for _ in 1...2 { #expect(await clock.advance(by: duration) >= Self.start) }
        try await subscription.enterForeground()
        try await device.post(.proximity(.near))
        #expect(try await subscription.next()?.changeCount == 1)
    }

    @Test func movementsAtTheSameTimeAddUpForAllDevicesOfAClock() async throws {
        let clock = try TestClock()
        let devices = [try await TestDevice.inMemory(clock: clock), try await TestDevice.inMemory(clock: clock)]
        let subscriptions = [
            try await devices[0].subscribe(to: [Self.tea.aspect]),
            try await devices[1].subscribe(to: [Self.tea.aspect]),
        ]
        for device in devices { try await device.schedule(entry(.every(.minutes(1)))) }
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { await clock.advance(by: .hours(1)) } }
        }
        #expect(await clock.advance(by: .zero) == Self.start + .hours(4))
        for subscription in subscriptions { #expect(try await subscription.next()?.changeCount == 240) }
    }

    @Test func movementOfACancelledTaskStops() async throws {
        let clock = try TestClock()
        let device = try await TestDevice.inMemory(clock: clock)
        try await device.schedule(entry(.every(.seconds(1))))
        let movement = Task { await clock.advance(by: .hours(876_000)) }
        movement.cancel()
        #expect(await movement.value < Self.start + .hours(876_000))
    }
}

extension Duration {
    fileprivate static func minutes(_ minutes: Int) -> Duration { .seconds(60 * minutes) }
    fileprivate static func hours(_ hours: Int) -> Duration { .minutes(60 * hours) }
}
