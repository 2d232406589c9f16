// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleTesting
import Testing

/// A moving phone, observed by a real bus through the real libudev.
@Suite(.timeLimit(.minutes(10))) struct PhoneMotionTests {
    private let phone: SyntheticPhone
    private let bus: PhoneBus
    private let device: Device

    init() async throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
        device = try await Device.connect(to: bus.address)
    }

    @Test func initialStateIsRead() async throws {
        #expect(try await device.battery.level == 0.8)
        #expect(try await device.battery.state == .unplugged)
        #expect(try await device.orientation.pose == .portrait)
        #expect(try await device.proximity == .far)
        #expect(try await device.locale.identifier == "en_US")
        #expect(try await device.defaults.domains.map(\.name) == ["settings"])
    }

    @Test func everyInteractionCausesAnEvent() async throws {
        let subscription = try await device.subscribe()
        var events = subscription.makeAsyncIterator()
        phone.battery.level = 0.2
        #expect(try await events.next()?.reading == .battery(Self.battery(.unplugged, 0.2, .discharging)))
        try phone.rotate(to: .landscapeLeft)
        #expect(
            try await events.next()?.reading == .orientation(Orientation(pose: .landscapeLeft, planar: .landscapeLeft)))
        try phone.setNear(true)
        #expect(try await events.next()?.reading == .proximity(.near))
        try phone.setLocale("de_DE.UTF-8")
        guard case .locale(let locale) = try await events.next()?.reading else { throw TestbedProblem() }
        #expect(locale.identifier == "de_DE")
        try phone.writeSettings(#"{"theme": "dark"}"#)
        guard case .defaults(let defaults) = try await events.next()?.reading else { throw TestbedProblem() }
        #expect(defaults.domains.first?.keys == ["theme"])
    }

    @Test func batteriesAreAddedAndRemoved() async throws {
        let subscription = try await device.subscribe(to: .battery)
        var events = subscription.makeAsyncIterator()
        let second = try phone.addBattery()
        var packs: [String] = []
        while packs != ["battery", "battery2"] { packs = try await Self.packs(events.next()) }
        try second.remove()
        while packs != ["battery"] { packs = try await Self.packs(events.next()) }
        try phone.battery.remove()
        while !packs.isEmpty { packs = try await Self.packs(events.next()) }
        try phone.battery.insert()
        while packs != ["battery"] { packs = try await Self.packs(events.next()) }
    }

    @Test func sensorsAreRemovedAndInserted() async throws {
        let subscription = try await device.subscribe(to: [.proximity, .orientation])
        var events = subscription.makeAsyncIterator()
        try phone.accelerometer.remove()
        #expect(try await events.next()?.reading == .orientation(Orientation.unknown))
        try phone.accelerometer.insert()
        #expect(try await events.next()?.reading == .orientation(Orientation(pose: .portrait, planar: .portrait)))
        try phone.proximitySensor.remove()
        #expect(try await events.next()?.reading == .proximity(.unknown))
    }

    @Test func burstIsOneEventForASleepingSubscriber() async throws {
        let awake = try await device.subscribe(to: .battery)
        let asleep = try await device.subscribe(to: .battery)
        try await asleep.enterBackground()
        for step in 1...50 { phone.battery.level = Double(step) / 100 }
        var seen = 0
        for try await event in awake {
            seen += event.changes
            if case .battery(let battery) = event.reading, battery.level == 0.5 { break }
        }
        try await asleep.enterForeground()
        var events = asleep.makeAsyncIterator()
        #expect(try await events.next()?.changes == seen)
    }

    @Test(arguments: [false, true])
    func restartedBusContinues(isKilled: Bool) async throws {
        let subscription = try await device.subscribe(to: .battery)
        var events = subscription.makeAsyncIterator()
        phone.battery.level = 0.5
        #expect(try await events.next()?.reading == .battery(Self.battery(.unplugged, 0.5, .discharging)))
        if isKilled { bus.kill() }
        try bus.restart()
        phone.battery.level = 0.4
        #expect(try await events.next()?.reading == .battery(Self.battery(.unplugged, 0.4, .discharging)))
    }

    private struct TestbedProblem: Error {}

    private static func packs(_ event: Event?) -> [String] {
        guard case .battery(let battery) = event?.reading else { return ["none"] }
        return battery.packs.map(\.name)
    }

    private static func battery(_ state: Battery.State, _ level: Double, _ status: Battery.ChargeStatus) -> Battery {
        Battery(
            state: state, level: level, isPlugged: false, chargeStatus: status,
            packs: [Battery.Pack(name: "battery", level: level, chargeStatus: status)])
    }
}
