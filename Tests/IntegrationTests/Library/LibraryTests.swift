// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import Testing

extension Reading {
    static func level(_ level: Double) -> Reading {
        .battery(Battery(state: .unplugged, level: level, isPlugged: false, chargeStatus: .discharging, packs: []))
    }
}

@Suite(.blocking, .timeLimit(.minutes(10))) struct LibraryTests {
    private let bus: BusProcess
    private let device: Device

    init() async throws {
        bus = try BusProcess()
        device = try await Device.connect(to: bus.address)
    }

    @Test func missingBusIsAnErrorThatNamesTheAddress() async throws {
        let directory = try TemporaryDirectory()
        let error = await #expect(throws: ReveilleError.self) {
            try await Device.connect(to: "unix:\(directory.path)/bus")
        }
        #expect(error?.code == .noBus)
        #expect(error?.description.contains(directory.path) == true)
        let invalid = await #expect(throws: ReveilleError.self) { try await Device.connect(to: "tcp:1") }
        #expect(invalid?.code == .invalidArgument)
    }

    @Test func restartOfTheBusLosesAndRepeatsNothing() async throws {
        let subscription = try await device.subscribe(to: [.battery, .proximity])
        var events = subscription.makeAsyncIterator()
        try await device.post(.level(0.5))
        #expect(try await events.next()?.reading == .level(0.5))
        var states = await device.connectionStates.makeAsyncIterator()
        #expect(await states.next() == .connected)
        for step in 1...2 {
            #expect(bus.stop() == 0)
            let gone = await states.next()
            #expect(gone != .connected)
            await #expect(throws: ReveilleError.self) { try await device.refresh() }
            try bus.restart()
            while await states.next() != .connected {}
            try await device.post(.level(0.5 - Double(step) / 100))
            let event = try #require(await events.next())
            #expect(event.reading == .level(0.5 - Double(step) / 100))
            #expect(event.changeCount == 1)
        }
        try await device.post(.proximity(.near))
        #expect(try await events.next()?.aspect == .proximity)
    }

    @Test("B214: a program that follows the subscriptions learns what ended with a bus that was killed")
    func followerSurvivesAKillOfTheBus() async throws {
        let subscription = try await device.subscribe(to: [.battery], options: SubscriptionOptions(name: "one"))
        var changes = device.shell.subscriptionChanges().makeAsyncIterator()
        let first = try #require(try await changes.next())
        #expect(first.subscriptions.map(\.name) == ["one"])
        #expect(first.ended == [])
        try await subscription.enterBackground()
        #expect(try await changes.next()?.subscriptions.first?.holds == .app)
        try bus.crash()
        var latest: [String: SubscriptionInfo] = [:]
        var ended: [String] = []
        while latest.isEmpty {
            let next = try #require(try await changes.next())
            ended += next.ended
            for subscription in next.subscriptions { latest[subscription.id] = subscription }
        }
        #expect(ended == first.subscriptions.map(\.id))
        #expect(latest.values.map(\.name) == ["one"])
        subscription.cancel()
        while !latest.isEmpty {
            let next = try #require(try await changes.next())
            for id in next.ended { latest[id] = nil }
        }
        let waiting = Task { [device] in
            for try await _ in device.shell.subscriptionChanges() {}
        }
        waiting.cancel()
        try await waiting.value
        await device.close()
        #expect(try await changes.next() == nil)
    }

    @Test("B218: a publisher that asks who needs its name goes on with the next bus")
    func demandSurvivesAKillOfTheBus() async throws {
        var demand = device.demand(for: PublishedName<[String: Int]>("org.example.a")).makeAsyncIterator()
        #expect(try await demand.next() == false)
        let subscription = try await device.subscribe(to: ["org.example.*"])
        #expect(try await demand.next() == true)
        try await subscription.enterBackground()
        #expect(try await demand.next() == false)
        try bus.crash()
        try await subscription.enterForeground()
        #expect(try await demand.next() == true)
        var wrong = device.demand(for: PublishedName<[String: Int]>("battery")).makeAsyncIterator()
        await #expect { _ = try await wrong.next() } throws: { ($0 as? ReveilleError)?.code == .invalidArgument }
        await device.close()
        #expect(try await demand.next() == nil)
    }

    @Test("B53: a background survives a kill of the bus, and the wake delivers what changed in the meantime")
    func backgroundSurvivesAKillOfTheBus() async throws {
        let subscription = try await device.subscribe(to: [.battery], options: SubscriptionOptions(name: "sleeper"))
        var events = subscription.makeAsyncIterator()
        try await device.post(.level(0.5))
        _ = try await events.next()
        try await subscription.enterBackground()
        bus.process.signal(SIGKILL)
        try bus.restart()
        while try await sleeper(on: device)?.holds.contains(.app) != true { backOff() }
        try await device.post(.level(0.4))
        #expect(try await sleeper(on: device)?.pending == [.battery: 1])
        try await subscription.enterForeground()
        #expect(try await events.next()?.reading == .level(0.4))
    }

    @Test func foregroundDuringARestartIsNotLost() async throws {
        let subscription = try await device.subscribe(to: [.battery], options: SubscriptionOptions(name: "sleeper"))
        try await subscription.enterBackground(wakeAfter: .seconds(31_536_000))
        for _ in 0..<8 {
            bus.process.signal(SIGKILL)
            // The client is reconnecting when it wakes, at varying stages.
            try bus.restart()
            try await subscription.enterForeground()
            while try await sleeper(on: device)?.holds.contains(.app) != false { backOff() }
            try await subscription.enterBackground()
            while try await sleeper(on: device)?.holds.contains(.app) != true { backOff() }
        }
    }

    /// Returns the sleeping subscriber as listed by the bus; `nil` while the bus is unavailable.
    private func sleeper(on device: Device) async throws -> SubscriptionInfo? {
        try? await device.shell.subscriptions().first { $0.name == "sleeper" }
    }

    @Test func observersContinueAfterARestart() async throws {
        let (calls, continuation) = AsyncStream.makeStream(of: Event.self)
        let observation = try await device.observeConcurrently(.proximity) { continuation.yield($0) }
        #expect(bus.stop() == 0)
        try bus.restart()
        while (try? await device.shell.subscriptions().count) != 1 { backOff() }
        try await device.post(.proximity(.near))
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next()?.reading == .proximity(.near))
        observation.cancel()
    }

    @Test("B88: a refresh returns after all changes have been posted")
    func refreshReturnsAfterAllChangesArePosted() async throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: [.battery])
        // No uevent is sent.
        try phone.battery.device?.set("capacity", "33")
        try await device.refresh()
        #expect(try await device.state(of: .battery).level == 0.33)
        guard case .battery(let battery) = try await subscription.next()?.reading else { throw Trouble("no battery") }
        #expect(battery.level == 0.33)
    }

    @Test("B90: changes that are due when the bus stops are delivered")
    func changesDueAtTheStopAreDelivered() async throws {
        let subscription = try await device.subscribe(to: [.battery])
        for step in 1...9 { try await device.post(.level(Double(step) / 10)) }
        #expect(bus.stop() == 0)
        var last: Reading?
        while last != .level(0.9), let event = try await subscription.next() { last = event.reading }
        #expect(last == .level(0.9))
    }

    @Test("B74: the state stays unknown if the device has no such sensor")
    func monitoringWithoutASensorIsOff() async throws {
        #expect(await (try device.monitor(.proximity)).value == .unknown)
        #expect(try await !device.isAvailable(.proximity))
    }

    @Test("an operation continues while the bus is gone, and the bus counts its task again when it returns")
    func taskBeginsAgainAfterARestart() async throws {
        let subscription = try await device.subscribe(to: [.battery])
        try await subscription.withBackgroundTask("upload") { task in
            #expect(try await device.shell.subscriptions().flatMap(\.tasks).map(\.name) == ["upload"])
            #expect(bus.stop() == 0)
            while task.failure == nil { backOff() }
            #expect(task.failure?.code == .noBus)
            try bus.restart()
            while task.failure != nil { backOff() }
            #expect(try await device.shell.subscriptions().flatMap(\.tasks).map(\.name) == ["upload"])
            #expect(!task.isExpiring)
        }
        let end = ContinuousClock.now + .seconds(60)
        while try await !device.shell.subscriptions().flatMap(\.tasks).isEmpty, ContinuousClock.now < end {}
        #expect(try await device.shell.subscriptions().flatMap(\.tasks).isEmpty)
    }
}
