// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleCore
import ReveilleTesting
import Testing

/// Each step of a phone is one change for any configuration of its bus.
@Suite(.timeLimit(.minutes(10))) struct StepTests {
    private static let configurations = [PhoneBus.quick, "{}"]

    @Test("every kind of step is one change", arguments: configurations)
    func everyKindOfStepIsOneChange(configuration: String) async throws {
        let phone = try SyntheticPhone(batteries: 3)
        let bus = try phone.startBus(configuration: configuration)
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: Set(AspectSet.default.aspects))
        try await subscription.enterBackground()
        let pack = try #require(phone.battery.device)
        let steps: [(Aspect, () throws -> Void)] = [
            (.battery, { try phone.battery.setLevel(0.5) }), (.battery, { try phone.battery.setStatus(.full) }),
            (.battery, { try phone.plugIn() }), (.battery, { try phone.unplug() }),
            (.battery, { try phone.addBattery() }), (.battery, { try phone.batteries[3].remove() }),
            (.battery, { try phone.batteries[3].insert() }), (.battery, { try pack.set("capacity", "7") }),
            (.battery, { try pack.set(["capacity": "9", "status": "Full"]) }),
            (.orientation, { try phone.rotate(to: .landscapeLeft) }),
            (.orientation, { try phone.rotate(to: .faceUp) }), (.orientation, { try phone.rotate(to: .portrait) }),
            (.orientation, { try phone.accelerometer.remove() }),
            (.orientation, { try phone.accelerometer.insert() }),
            (.proximity, { try phone.setNear(true) }), (.proximity, { try phone.setNear(false) }),
            (.proximity, { try phone.proximitySensor.remove() }), (.proximity, { try phone.proximitySensor.insert() }),
            (.locale, { try phone.setLocale("de_DE.UTF-8") }), (.locale, { try phone.setLocale("fr_FR.UTF-8") }),
            (.defaults, { try phone.writeSettings(#"{"a": 1}"#) }), (.defaults, { try phone.writeSettings("") }),
            (.defaults, { try phone.writeSettings(#"{"a": 2}"#, to: "more.json") }),
        ]
        for (aspect, step) in steps {
            let before = try await device.changesWaiting(of: aspect)
            try step()
            #expect(try await device.changesWaiting(of: aspect) == before + 1)
        }
        try await subscription.enterForeground()
        var counts: [Aspect: Int] = [:]
        while counts.count < 5, let event = try await subscription.next() {
            counts[event.aspect, default: 0] += event.changeCount
        }
        #expect(counts == Dictionary(steps.map { ($0.0, 1) }, uniquingKeysWith: +))
    }

    @Test("a step does not wait for a stopped or ended bus") func stoppedBusIsNotWaitedFor() async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        let device = try await Device.connect(to: bus.address)
        for _ in 1...50 {
            kill(bus.processIdentifier, SIGSTOP)
            try phone.battery.setLevel(0.3)
            try phone.battery.setLevel(0.2)
            kill(bus.processIdentifier, SIGCONT)
            try phone.battery.setLevel(0.1)
        }
        try await bus.waitUntilDelivered()
        #expect(try await device.state(of: .battery).level == 0.1)
        bus.kill()
        try phone.battery.setLevel(0.5)
        try bus.restart()
        #expect(try await device.state(of: .battery).level == 0.5)
    }
}

extension Device {
    /// Returns the number of pending changes of an aspect for the only subscriber.
    fileprivate func changesWaiting(of aspect: Aspect) async throws -> Int {
        try await shell.subscriptions().first?.pending[aspect] ?? 0
    }
}
