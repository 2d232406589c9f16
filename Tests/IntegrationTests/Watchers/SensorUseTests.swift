// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// The frequency at which sensors are read, which depends on their subscribers.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SensorUseTests {
    private let phone: SyntheticPhone
    private let orientation: ReadCounter
    private let proximity: ReadCounter
    private let battery: ReadCounter

    init() throws {
        phone = try SyntheticPhone()
        orientation = try ReadCounter(of: "in_accel_y_raw", on: phone)
        proximity = try ReadCounter(of: "in_proximity_raw", on: phone)
        battery = try ReadCounter(of: "capacity", on: phone)
    }

    /// Starts a bus that reads a sensor a hundred times a second, but once an hour while all subscribers sleep.
    private func bus(watch: String = "[]") throws -> BusProcess {
        let configuration = """
            { proximity: { sampleInterval: 0.01 }, orientation: { sampleInterval: 0.01, settle: 0 },
              idleSampleInterval: 3600, watch: \(watch) }
            """
        return try BusProcess(configuration: configuration, phone: phone)
    }

    @Test("B70: a sensor without subscribers is not read") func unusedSensorsAreNotRead() throws {
        let bus = try bus()
        let subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
        for round in 0..<20 {
            try phone.writeSettings("{\"round\": \(round)}")
            _ = try subscriber.next()
        }
        #expect([orientation.count, proximity.count, battery.count] == [0, 0, 0])
        // The counters work.
        _ = try bus.client().call("GetState")
        #expect(min(orientation.count, proximity.count, battery.count) >= 1)
    }

    @Test("an aspect in 'watch' is read without subscribers, and its change is in the log")
    func watchedAspectIsRead() throws {
        let bus = try bus(watch: #"["battery", "orientation"]"#)
        try battery.wait(for: 1)
        try orientation.wait(for: 1)
        #expect(proximity.count == 0)
        try phone.battery.setLevel(0.31)
        try wait(for: "the change of the battery to be logged") {
            try bus.client().call("GetLog").parameters["lines"]?.arrayValue?.contains { line in
                line.objectValue?["event"]?.objectValue?["battery"]?.objectValue?["level"] == 0.31
            } == true
        }
    }

    @Test("B78: a sensor is rarely read while its subscribers are held, and again before they wake")
    func sensorOfSleepersIsRarelyRead() throws {
        let bus = try bus()
        let sleeper = try bus.subscribe(#"{"aspects":["orientation"],"state":"background"}"#)
        let awake = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        let before = orientation.count
        // Wait until the other sensor has been sampled many times.
        try proximity.wait(for: proximity.count + 100)
        #expect(orientation.count - before <= 1)
        try phone.rotate(to: .landscapeRight)
        try sleeper.setState("foreground", on: bus.client())
        #expect(try sleeper.next().first?["orientation"]?.objectValue?["pose"] == "landscapeRight")
        withExtendedLifetime(awake) {}
    }

    @Test("a wake searches for no sensors while the events of devices are followed; Refresh does")
    func wakeDoesNotSearch() throws {
        let searches = try ReadCounter(of: "in_proximity_nearlevel", on: phone)
        let bus = try bus()
        let sleeper = try bus.subscribe(#"{"aspects":["proximity"],"state":"background"}"#)
        let client = try bus.client()
        // The watcher starts at the end of the turn that answers Subscribe.
        try sleeper.setState("background", on: client)
        let before = searches.count
        #expect(before > 0)
        for isNear in [true, false, true] {
            try phone.setNear(isNear)
            try sleeper.setState("foreground", on: client)
            #expect(try sleeper.next().first?["proximity"] == ["state": isNear ? "near" : "far"])
            try sleeper.setState("background", on: client)
        }
        #expect(searches.count == before)
        _ = try client.call("Refresh")
        #expect(searches.count > before)
    }

    @Test("B72, B73: a sensor with two subscribers is read until both have ended, even when this is repeated")
    func usesAreCounted() throws {
        let bus = try bus()
        for _ in 0..<2 {
            var first: Subscriber? = try bus.subscribe(#"{"aspects":["proximity"]}"#)
            var second: Subscriber? = try bus.subscribe(#"{"aspects":["proximity"]}"#)
            withExtendedLifetime(first) { first = nil }
            try proximity.wait(for: proximity.count + 20)
            withExtendedLifetime(second) { second = nil }
            try bus.waitForRest(of: "proximity")
            let after = proximity.count
            let other = try bus.subscribe(#"{"aspects":["orientation"]}"#)
            try orientation.wait(for: orientation.count + 50)
            #expect(proximity.count == after)
            withExtendedLifetime(other) {}
        }
    }

    @Test("B71: the state of an unwatched aspect is read on request, not cached")
    func staleStateIsNotReturned() throws {
        let bus = try bus()
        var subscriber: Subscriber? = try bus.subscribe(#"{"aspects":["orientation"]}"#)
        withExtendedLifetime(subscriber) { subscriber = nil }
        try bus.waitForRest(of: "orientation")
        try phone.rotate(to: .faceDown)
        let event = try bus.client().state(of: "orientation")
        #expect(event["orientation"]?.objectValue?["pose"] == "faceDown")
    }

    @Test func machineWithoutABatteryIsNotPolled() throws {
        try phone.battery.remove()
        let online = try ReadCounter(of: "online", on: phone)
        let bus = try BusProcess(
            configuration: "{ battery: { pollInterval: 0.01 }, proximity: { sampleInterval: 0.01 } }", phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["battery","proximity"]}"#)
        let before = online.count
        #expect(before > 0)
        try proximity.wait(for: proximity.count + 100)
        #expect(online.count == before)
        withExtendedLifetime(subscriber) {}
    }

    @Test func threadOfASensorStartsWithTheSensor() throws {
        let bus = try BusProcess()
        let subscriber = try bus.subscribe(#"{"aspects":["proximity","orientation"]}"#)
        let withoutSensors = try #require(bus.process.status("Threads"))
        withExtendedLifetime(subscriber) {}
        let other = try self.bus()
        let subscribers = try ["proximity", "orientation"].map { try other.subscribe("{\"aspects\":[\"\($0)\"]}") }
        #expect(other.process.status("Threads") == withoutSensors + 2)
        withExtendedLifetime(subscribers) {}
    }

    /// The number of readings in which wake-ups are counted.
    private static let readings = 100

    @Test(
        "battery, proximity and orientation, watched together, take one wake-up an interval", arguments: [false, true])
    func wakeUpsAreShared(asleep: Bool) throws {
        // An interval is long enough that few wake-ups are late.
        let interval = asleep ? "idleSampleInterval: 0.04" : "idleSampleInterval: 3600"
        let bus = try BusProcess(
            configuration: """
                { battery: { pollInterval: 0.4 }, proximity: { sampleInterval: 0.04 },
                  orientation: { sampleInterval: 0.04 }, \(interval) }
                """, phone: phone)
        let state = asleep ? "background" : "foreground"
        let subscribers = try (0..<3).map { _ in
            try bus.subscribe("{\"aspects\":[\"battery\",\"proximity\",\"orientation\"],\"state\":\"\(state)\"}")
        }
        // Until both sensors are read on the loop, and the background is quiet.
        try orientation.wait(for: 10)
        try proximity.wait(for: 10)
        let before = (proximity.count, try bus.process.wakeUps())
        try proximity.wait(for: before.0 + Self.readings)
        let (read, wakeUps) = (proximity.count - before.0, try bus.process.wakeUps() - before.1)
        #expect(Double(wakeUps) <= 1.2 * Double(read), "\(wakeUps) wake-ups for \(read) readings")
        withExtendedLifetime(subscribers) {}
    }
}
