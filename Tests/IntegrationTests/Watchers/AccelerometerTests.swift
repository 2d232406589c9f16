// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// Accelerometers that are described incompletely or wrongly.
@Suite(.blocking, .timeLimit(.minutes(10))) struct AccelerometerTests {
    private let testbed: Testbed

    init() throws {
        testbed = try Testbed()
    }

    /// Adds a sensor held in portrait, 1,000 units per g.
    @discardableResult
    private func addSensor(
        _ attributes: [String: String], properties: [String: String] = [:]
    ) throws -> SyntheticDevice {
        let raw = ["in_accel_x_raw": "0", "in_accel_y_raw": "-1000", "in_accel_z_raw": "0"]
        return try testbed.add(
            subsystem: "iio", name: "iio:device0", attributes: raw.merging(attributes) { $1 },
            properties: ["DEVTYPE": "iio_device"].merging(properties) { $1 })
    }

    /// Starts a bus that samples only on request.
    private func bus() throws -> BusProcess {
        try BusProcess(
            configuration: "{ orientation: { sampleInterval: 600 } }", environment: testbed.environment)
    }

    private func pose(_ bus: BusProcess) throws -> JSON? {
        try bus.client().state(of: "orientation")["orientation"]?.objectValue?["pose"]
    }

    @Test(
        "a scale of 0 is none, and the next attribute decides",
        arguments: [
            ["in_accel_scale": "0", "scale": "0.00981"],
            [
                "in_accel_x_scale": "0.00981", "in_accel_y_scale": "0", "in_accel_z_scale": "0.00981",
                "scale": "0.00981",
            ],
            ["in_accel_scale": "0.000000", "scale": "0"], ["in_accel_scale": "nan"], [:],
        ])
    func zeroIsNoScale(attributes: [String: String]) throws {
        try addSensor(attributes)
        let subscriber = try bus().subscribe(#"{"aspects":["orientation"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["orientation"]?.objectValue?["pose"] == "portrait")
    }

    @Test("the first reply has the pose of a sensor whose scale is wrong", arguments: ["0.0383", "1e9"])
    func wrongScale(scale: String) throws {
        let sensor = try addSensor(["in_accel_scale": scale])
        let bus = try bus()
        #expect(try pose(bus) == "portrait", "without a subscriber")
        let subscriber = try bus.subscribe(#"{"aspects":["orientation"],"initial":true}"#)
        let initial = try #require(subscriber.initialEvents.first)
        #expect(initial["orientation"]?.objectValue?["pose"] == "portrait")
        try sensor.set(["in_accel_x_raw": "-1000", "in_accel_y_raw": "0"])
        _ = try bus.client().call("Refresh")
        #expect(try subscriber.next().first?["orientation"]?.objectValue?["pose"] == "landscapeLeft")
        let report = try ProgramRun(["doctor"], in: TemporaryDirectory(), environment: testbed.environment).output
        #expect(report.contains("only the direction of gravity is used"), "\(report)")
        #expect(report.contains("the scale of the accelerometer is wrong"), "\(report)")
    }

    @Test("an invalid location is ignored, and the label and then the attribute decide")
    func invalidLocation() throws {
        let sensor = try addSensor(["label": "accel-base"], properties: ["ACCEL_LOCATION": "somewhere"])
        let reason = try bus().description(of: "orientation")["reason"]?.stringValue ?? ""
        #expect(reason.contains("it is mounted in the base"), "\(reason)")
        try sensor.set(["label": "", "location": "base"])
        #expect(try bus().description(of: "orientation")["reason"]?.stringValue?.contains("in the base") == true)
        try sensor.set("location", "lid")
        #expect(try pose(bus()) == "portrait")
    }

    @Test("an input accelerometer in the base is not used", arguments: ["ACCEL_LOCATION", "label", "location"])
    func inputInTheBase(origin: String) throws {
        var properties = ["DEVNAME": "/dev/input/event7", "ID_INPUT_ACCELEROMETER": "1"]
        properties["ACCEL_LOCATION"] = origin == "ACCEL_LOCATION" ? "base" : "nowhere"
        _ = try testbed.add(
            subsystem: "input", name: "event7",
            attributes: [
                "label": origin == "label" ? "accel-base" : "", "location": origin == "location" ? "base" : "",
            ],
            properties: properties)
        let reason = try bus().description(of: "orientation")["reason"]?.stringValue ?? ""
        #expect(reason == "event7 ignored: it is mounted in the base")
    }
}
