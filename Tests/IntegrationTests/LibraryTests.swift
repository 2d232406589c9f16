// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleTesting
import Testing

/// The Swift library against the real bus, which comes and goes.
@Suite(.timeLimit(.minutes(10))) struct LibraryTests {
    private static func level(_ level: Double) -> Reading {
        .battery(Battery(state: .unplugged, level: level, isPlugged: false, chargeStatus: .discharging, packs: []))
    }

    private static func device(_ bus: BusProcess) async throws -> Device {
        try await Device.connect(to: "unix:" + bus.socket)
    }

    @Test func nobodyServesIsAnErrorThatNamesTheAddress() async throws {
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
        let bus = try BusProcess()
        let device = try await Self.device(bus)
        let subscription = try await device.subscribe(to: [.battery, .proximity])
        var events = subscription.makeAsyncIterator()
        try await device.post(Self.level(0.5))
        #expect(try await events.next()?.reading == Self.level(0.5))
        var states = await device.connectionStates.makeAsyncIterator()
        #expect(await states.next() == .connected)
        for step in 1...5 {
            #expect(bus.stop() == 0)
            let gone = await states.next()
            #expect(gone != .connected)
            await #expect(throws: ReveilleError.self) { try await device.refresh() }
            try bus.restart()
            while await states.next() != .connected {}
            try await device.post(Self.level(0.5 - Double(step) / 100))
            let event = try #require(await events.next())
            #expect(event.reading == Self.level(0.5 - Double(step) / 100))
            #expect(event.changes == 1)
        }
        try await device.post(.proximity(.near))
        #expect(try await events.next()?.aspect == .proximity)
    }

    @Test("B53: a background stands through the death of the bus, and ends with what changed meanwhile")
    func backgroundStandsThroughTheDeathOfTheBus() async throws {
        let bus = try BusProcess()
        let device = try await Self.device(bus)
        let subscription = try await device.subscribe(to: .battery, name: "sleeper")
        var events = subscription.makeAsyncIterator()
        try await device.post(Self.level(0.5))
        _ = try await events.next()
        try await subscription.enterBackground()
        bus.process.signal(SIGKILL)
        try bus.restart()
        while try await sleeper(on: device)?.holds.contains(.app) != true { await Task.yield() }
        try await device.post(Self.level(0.4))
        #expect(try await sleeper(on: device)?.pending == [.battery: 1])
        try await subscription.enterForeground()
        #expect(try await events.next()?.reading == Self.level(0.4))
    }

    @Test func wakingWhileTheBusIsGoneWakes() async throws {
        let bus = try BusProcess()
        let device = try await Self.device(bus)
        let subscription = try await device.subscribe(to: .battery, name: "sleeper")
        try await subscription.enterBackground(wakeAfter: .seconds(31_536_000))
        for _ in 0..<20 {
            bus.process.signal(SIGKILL)
            // The client is on its way back as it wakes, at some point or other.
            try bus.restart()
            try await subscription.enterForeground()
            while try await sleeper(on: device)?.holds.contains(.app) != false { await Task.yield() }
            try await subscription.enterBackground()
            while try await sleeper(on: device)?.holds.contains(.app) != true { await Task.yield() }
        }
    }

    /// What the bus says of the one that sleeps; nothing while the bus is gone.
    private func sleeper(on device: Device) async throws -> Reveille.Subscriber? {
        try? await device.subscribers().first { $0.name == "sleeper" }
    }

    @Test func observersGoOnAfterARestart() async throws {
        let bus = try BusProcess()
        let device = try await Self.device(bus)
        let (calls, continuation) = AsyncStream.makeStream(of: Event.self)
        let observation = try await device.observe(.proximity) { continuation.yield($0) }
        #expect(bus.stop() == 0)
        try bus.restart()
        while (try? await device.subscribers().count) != 1 { await Task.yield() }
        try await device.post(.proximity(.near))
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next()?.reading == .proximity(.near))
        observation.cancel()
    }

    @Test("B88: a refresh returns once what changed has been posted")
    func refreshReturnsOnceAllIsPosted() async throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let device = try await Self.device(bus)
        let subscription = try await device.subscribe(to: .battery)
        // No uevent tells of it.
        try phone.battery.device?.set("capacity", "33")
        try await device.refresh()
        #expect(try await device.battery.level == 0.33)
        guard case .battery(let battery) = try await subscription.next()?.reading else { throw Trouble("no battery") }
        #expect(battery.level == 0.33)
    }

    @Test("B90: what was due as the bus stopped is delivered")
    func whatWasDueAtTheEndIsDelivered() async throws {
        let bus = try BusProcess()
        let device = try await Self.device(bus)
        let subscription = try await device.subscribe(to: .battery)
        for step in 1...9 { try await device.post(Self.level(Double(step) / 10)) }
        #expect(bus.stop() == 0)
        var last: Reading?
        while last != Self.level(0.9), let event = try await subscription.next() { last = event.reading }
        #expect(last == Self.level(0.9))
    }

    // MARK: - As UIDevice has it

    @Test("B70 and B71: what is not monitored is unknown and watched by nobody, before and after it was")
    func monitoringIsOnDemand() async throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let device = try await Self.device(bus)
        #expect(device.reading(of: .battery) == .battery(.unknown))
        #expect(try await !isMonitored(.battery, by: device))
        #expect(try await device.beginMonitoring(.battery))
        guard case .battery(let battery) = device.reading(of: .battery) else { throw Trouble("no battery") }
        #expect(battery.level == 0.8)
        #expect(battery.state == .unplugged)
        #expect(try await isMonitored(.battery, by: device))
        try phone.plugIn()
        while device.reading(of: .battery) == .battery(battery) { await Task.yield() }
        device.endMonitoring(.battery)
        #expect(device.reading(of: .battery) == .battery(.unknown))
        while try await !device.subscribers().isEmpty { await Task.yield() }
    }

    @Test("B73: monitoring that was begun twice ends with the second end, and a third does nothing")
    func monitoringIsCounted() async throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let device = try await Self.device(bus)
        #expect(try await device.beginMonitoring(.orientation))
        #expect(try await device.beginMonitoring(.orientation))
        device.endMonitoring(.orientation)
        #expect(device.isMonitoring(.orientation))
        try phone.rotate(to: .faceUp)
        let expected = Reading.orientation(Orientation(pose: .faceUp, planar: .portrait))
        while device.reading(of: .orientation) != expected { await Task.yield() }
        device.endMonitoring(.orientation)
        #expect(!device.isMonitoring(.orientation))
        device.endMonitoring(.orientation)
        #expect(try await device.beginMonitoring(.orientation))
        #expect(device.isMonitoring(.orientation))
        device.endMonitoring(.orientation)
    }

    @Test("B74: monitoring what the device has no sensor for reads back false")
    func monitoringWithoutASensorIsOff() async throws {
        let bus = try BusProcess()
        let device = try await Self.device(bus)
        #expect(try await !device.beginMonitoring(.proximity))
        #expect(!device.isMonitoring(.proximity))
        #expect(try await !device.isAvailable(.proximity))
    }

    private func isMonitored(_ aspect: Aspect, by device: Device) async throws -> Bool {
        try await device.sources().contains { $0.aspect == aspect && $0.isMonitored }
    }
}
