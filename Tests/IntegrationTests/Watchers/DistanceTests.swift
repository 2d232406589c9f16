// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// Proximity by the distance that an input device reports, with the real libudev and the real program.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DistanceTests {
    private static let node = "/dev/input/event50"
    private let phone: SyntheticPhone

    init() throws {
        phone = try SyntheticPhone()
        try phone.proximitySensor.remove()
    }

    /// Adds an input device at a distance, with its parent; `axes` are the axes that it has.
    private func add(
        distance: Int, maximum: Int, axes: String = "2000000", properties: [String: String] = [:]
    ) throws -> [SyntheticDevice] {
        let parent = try phone.testbed.add(
            subsystem: "input", name: "input50", attributes: ["capabilities/abs": axes, "name": "Meter"])
        try phone.testbed.setDistance(distance, of: Self.node, maximum: maximum)
        let device = try phone.testbed.add(
            subsystem: "input", name: "event50", parent: parent,
            properties: properties.merging(["DEVNAME": Self.node]) { $1 })
        return [device, parent]
    }

    private func expect(
        _ states: [(distance: Int, state: JSON)], _ maximum: Int, _ configuration: String = "{}"
    ) throws {
        let bus = try BusProcess(configuration: configuration, phone: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["proximity"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["proximity"] == ["state": states[0].state])
        for (distance, state) in states.dropFirst() {
            try phone.testbed.setDistance(distance, of: Self.node, maximum: maximum)
            try bus.client().call("Refresh")
            let now = try bus.client().state(of: "proximity")["proximity"]
            #expect(now == ["state": state], "at \(distance)")
        }
    }

    @Test("a sensor with two values is near at the lower one, and its events are changes")
    func sensorWithTwoValuesIsASwitch() throws {
        let meter = try add(distance: 1, maximum: 1)
        let bus = try BusProcess(on: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["proximity"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["proximity"] == ["state": "far"])
        for (distance, state) in [(0, "near"), (1, "far"), (0, "near")] {
            try phone.testbed.setDistance(distance, of: Self.node, maximum: 1)
            try subscriber.wait(for: "proximity") { $0["state"] == .string(state) }
        }
        for device in meter { try device.remove() }
        try subscriber.wait(for: "proximity") { $0["state"] == "unknown" }
    }

    @Test("a property of udev or the configuration gives the near level, and near ends a ninth beyond it")
    func levelIsGiven() throws {
        let states: [(Int, JSON)] = [(91, "far"), (90, "near"), (100, "near"), (101, "far"), (91, "far")]
        let property = ["PROXIMITY_NEAR_LEVEL": "90"]
        var meter = try add(distance: 91, maximum: 255, properties: property)
        try expect(states, 255)
        try expect([(91, "near"), (222, "near"), (223, "far")], 255, "{ proximity: { nearLevel: 200 } }")
        for device in meter { try device.remove() }
        meter = try add(distance: 91, maximum: 255)
        try expect([(91, "unknown")], 255)
        try expect(states, 255, "{ proximity: { nearLevel: 90 } }")
    }

    @Test("a tablet measures the distance of its pen, unless udev says otherwise")
    func tabletIsNoSensor() throws {
        let tablet = try add(distance: 0, maximum: 1, axes: "2000003")
        try expect([(0, "unknown")], 1, "{ proximity: { nearLevel: 5 } }")
        for device in tablet { try device.remove() }
        _ = try add(distance: 0, maximum: 63, axes: "2000003", properties: ["PROXIMITY_NEAR_LEVEL": "9"])
        try expect([(0, "near"), (60, "far")], 63)
    }

    @Test("no device is open while nobody subscribes")
    func deviceIsOpenOnDemand() throws {
        _ = try add(distance: 0, maximum: 1)
        let bus = try BusProcess(on: phone)
        let isOpen = { try bus.descriptors().contains { $0.hasSuffix(Self.node) } }
        #expect(try !isOpen())
        var subscriber: Subscriber? = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        #expect(try isOpen())
        withExtendedLifetime(subscriber) { subscriber = nil }
        try bus.waitForRest(of: "proximity")
        #expect(try !isOpen())
    }
}
