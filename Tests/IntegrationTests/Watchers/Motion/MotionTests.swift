// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// The samples of a synthetic phone's accelerometer and gyroscope, and its shakes.
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

    /// Shakes the phone until a subscriber has received it.
    private func shake(_ peak: Double, until subscriber: Subscriber) throws {
        try phone.accelerate(x: peak, y: 0, z: 0)
        try subscriber.wait(for: "shake") { abs(($0["peak"]?.numberValue ?? 0) - peak) < 0.02 }
        try phone.accelerate(x: 0, y: -1, z: 0)
    }

    @Test("B145: a shake is an event with its peak") func shakeIsAnEvent() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["shake"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["shake"]?.objectValue?["peak"]?.numberValue == 0)
        try shake(2, until: subscriber)
        try shake(3, until: subscriber)
        #expect(try bus.client().state(of: "shake").integer("changes") == 0)
    }

    @Test("B149: shakes that are not asked for in the background are not watched for") func unaskedShakesAreOff() throws
    {
        let subscriber = try bus.subscribe(#"{"aspects":["shake"]}"#)
        #expect(try bus.description(of: "shake")["monitored"] == true)
        try subscriber.setState("background", on: bus.client())
        #expect(try bus.description(of: "shake")["monitored"] == false)
        #expect(try bus.description(of: "motion")["monitored"] == false)
    }
}

extension JSONObject {
    func isClose(_ name: String, _ other: (Double, Double, Double), within distance: Double) -> Bool {
        guard let vector = self[name]?.objectValue, let x = vector["x"]?.numberValue, let y = vector["y"]?.numberValue,
            let z = vector["z"]?.numberValue
        else { return false }
        return abs(x - other.0) <= distance && abs(y - other.1) <= distance && abs(z - other.2) <= distance
    }
}
