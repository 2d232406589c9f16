// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// The samples of a synthetic phone's accelerometer and gyroscope.
@Suite(.blocking, .timeLimit(.minutes(10))) struct MotionTests {
    private static let subscription =
        #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":20}]}"#

    private let phone: SyntheticPhone
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(phone: phone)
    }

    @Test("B130, B139: acceleration and rotation have the axes and units of Core Motion")
    func axesAreThoseOfTheDisplay() throws {
        let subscriber = try bus.subscribe(Self.subscription)
        let vectors: [(Double, Double, Double)] = [
            (0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, 0, -1), (0, 0, 1),
        ]
        for vector in vectors {
            try phone.accelerate(x: vector.0, y: vector.1, z: vector.2)
            try subscriber.wait(for: "motion") { $0.isClose("acceleration", vector, within: 0.02) }
        }
        let quarterTurn = 1.5708
        try phone.spin(x: 0, y: -0.5, z: quarterTurn)
        try subscriber.wait(for: "motion") { $0.isClose("rotation", (0, -0.5, quarterTurn), within: 0.01) }
    }

    @Test("B131: without a sensor, a subscription has no events until one appears") func sensorAppears() throws {
        for sensor in [phone.accelerometer, phone.gyroscope] { try sensor.remove() }
        let subscriber = try bus.subscribe(#"{"aspects":["motion","proximity"],"initial":true}"#)
        let initial = subscriber.initialEvents.first { $0.aspect == "motion" }?["motion"]?.objectValue
        #expect(initial?["acceleration"] == .null && initial?["rotation"] == .null)
        let source = try bus.description(of: "motion")
        #expect(source["available"] == false)
        #expect(source["reason"]?.stringValue == "no accelerometer and no gyroscope")
        try phone.setNear(true)
        #expect(try subscriber.next().map(\.aspect) == ["proximity"])
        try phone.accelerometer.insert()
        try subscriber.wait(for: "motion") { $0.isClose("acceleration", (0, -1, 0), within: 0.02) }
    }

    @Test("B132, B138: the sensor is sampled as often as the fastest subscriber wants, at the floor if that is less")
    func sensorFollowsTheFastestSubscriber() throws {
        let slow = try bus.subscribe(#"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":250}]}"#)
        #expect(try bus.description(of: "motion")["source"]?.stringValue?.hasSuffix("every 250 ms") == true)
        var fast: Subscriber? = try bus.subscribe(
            #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":1}]}"#)
        #expect(try bus.description(of: "motion")["source"]?.stringValue?.hasSuffix("every 10 ms") == true)
        withExtendedLifetime(fast) { fast = nil }
        try wait(for: "a slower sensor") {
            try bus.description(of: "motion")["source"]?.stringValue?.hasSuffix("every 250 ms") == true
        }
        withExtendedLifetime(slow) {}
    }

    @Test("B138: an interval of 0 or less is refused", arguments: [0, -1, -1_000])
    func invalidIntervalIsRefused(interval: Int) throws {
        let client = try bus.client()
        let policy = "{\"aspect\":\"motion\",\"interval\":\(interval)}"
        try client.send(
            "{\"method\":\"org.reveille.Bus.Subscribe\",\"more\":true,\"parameters\":"
                + "{\"aspects\":[\"motion\"],\"policies\":[\(policy)]}}")
        let reply = try client.receive()
        #expect(reply.error == "org.varlink.service.InvalidParameter")
    }

    @Test("B134: while its subscribers sleep, a sensor is off, and one fresh sample is delivered on wake")
    func sleepersWantNoSamples() throws {
        let subscriber = try bus.subscribe(Self.subscription)
        _ = try subscriber.next()
        try subscriber.setState("background", on: bus.client())
        #expect(try bus.description(of: "motion")["monitored"] == false)
        try phone.accelerate(x: 0, y: 0, z: 1)
        try subscriber.setState("foreground", on: bus.client())
        try subscriber.wait(for: "motion") { $0.isClose("acceleration", (0, 0, 1), within: 0.02) }
        // All later samples follow.
        _ = try subscriber.next()
    }

    @Test("with immediate, samples are delivered in the background") func immediateIgnoresTheBackground() throws {
        let subscriber = try bus.subscribe(
            #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":20,"background":"immediate"}]}"#)
        try subscriber.setState("background", on: bus.client())
        for _ in 0..<5 { _ = try subscriber.next() }
        #expect(try bus.description(of: "motion")["monitored"] == true)
    }

    @Test("B136: a request reads a fresh sample, after which the sensor is off") func requestReadsAFreshSample() throws
    {
        for x in [0.5, -0.5, 0.25] {
            try phone.accelerate(x: x, y: 0, z: -1)
            let event = try bus.client().state(of: "motion")
            #expect(event["motion"]?.objectValue?.isClose("acceleration", (x, 0, -1), within: 0.02) == true)
            #expect(event["motion"]?.objectValue?.isClose("rotation", (0, 0, 0), within: 0.02) == true)
            #expect(try bus.description(of: "motion")["monitored"] == false)
        }
    }

    @Test("B137: equal samples are events, whose times never decrease") func equalSamplesAreEvents() throws {
        let subscriber = try bus.subscribe(Self.subscription)
        var last: Int64 = 0
        var generation = -1
        for _ in 0..<20 {
            for event in try subscriber.next() {
                let time = event["motion"]?.objectValue?["takenAt"]?.integerValue ?? 0
                #expect(time >= last)
                #expect(event.integer("generation") == generation + event.integer("changes") || generation < 0)
                (last, generation) = (time, event.integer("generation"))
            }
        }
    }

    @Test("B143: a sensor that vanishes is one event with nulls, and samples go on when it returns")
    func sensorVanishesAndReturns() throws {
        try phone.accelerometer.remove()
        try phone.spin(x: 1, y: 0, z: 0)
        let subscriber = try bus.subscribe(#"{"aspects":["motion"]}"#)
        try subscriber.wait(for: "motion") { $0.isClose("rotation", (1, 0, 0), within: 0.01) }
        try phone.gyroscope.remove()
        let event = try subscriber.wait(for: "motion") { $0["rotation"] == .null }
        let generation = event.integer("generation")
        try phone.gyroscope.insert()
        let next = try subscriber.wait(for: "motion") { $0["rotation"] != .null }
        #expect(next.integer("generation") == generation + next.integer("changes"))
    }

    @Test("values that are not plausible keep the last state, and end no other aspect") func hostileValues() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["motion","battery"]}"#)
        try subscriber.wait(for: "motion") { $0.isClose("acceleration", (0, -1, 0), within: 0.02) }
        let sensor = try #require(phone.accelerometer.device)
        for text in ["nan", "1e300", "-1e308", "", "999999999999999999999", "0x10", "\u{1}"] {
            try sensor.set(["in_accel_x_raw": text, "in_accel_y_raw": text])
            phone.battery.status = .charging
            try subscriber.wait(for: "battery") { $0["chargeStatus"] == "charging" }
            phone.battery.status = .discharging
            try subscriber.wait(for: "battery") { $0["chargeStatus"] == "discharging" }
        }
        try phone.accelerate(x: 1, y: 0, z: 0)
        try subscriber.wait(for: "motion") { $0.isClose("acceleration", (1, 0, 0), within: 0.02) }
    }

    @Test("a posted sample is delivered, and a device without sensors keeps it") func postedSample() throws {
        for sensor in [phone.accelerometer, phone.gyroscope] { try sensor.remove() }
        let subscriber = try bus.subscribe(#"{"aspects":["motion"]}"#)
        let run = try bus.run(["post", "motion", #"{"acceleration":{"x":0,"y":0,"z":1},"takenAt":7}"#])
        #expect(run.code == 0, "\(run)")
        try subscriber.wait(for: "motion") { $0.isClose("acceleration", (0, 0, 1), within: 0) && $0["takenAt"] == 7 }
        #expect(try bus.run(["refresh"]).code == 0)
        try subscriber.wait(for: "motion") { $0["acceleration"] == .null }
    }
}

extension JSONObject {
    /// Returns whether a vector is close to another one.
    func isClose(_ name: String, _ other: (Double, Double, Double), within distance: Double) -> Bool {
        guard let vector = self[name]?.objectValue, let x = vector["x"]?.numberValue, let y = vector["y"]?.numberValue,
            let z = vector["z"]?.numberValue
        else { return false }
        return abs(x - other.0) <= distance && abs(y - other.1) <= distance && abs(z - other.2) <= distance
    }
}
