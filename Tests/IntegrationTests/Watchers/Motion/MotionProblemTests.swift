// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Sensors of motion that have no unit, cannot be read, or seem to be missing.
@Suite(.blocking, .timeLimit(.minutes(10))) struct MotionProblemTests {
    private static let gyroscope = [
        "name": "gyro", "in_anglvel_x_raw": "1000", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "0",
    ]
    private static let accelerometer = [
        "name": "accel", "in_accel_x_raw": "0", "in_accel_y_raw": "-1000", "in_accel_z_raw": "0",
    ]
    private let testbed: Testbed

    init() throws {
        testbed = try Testbed()
    }

    @discardableResult
    private func add(_ number: Int, _ attributes: [String: String]...) throws -> SyntheticDevice {
        try testbed.add(
            subsystem: "iio", name: "iio:device\(number)",
            attributes: attributes.reduce(into: [:]) { all, part in all.merge(part) { $1 } },
            properties: ["DEVTYPE": "iio_device"])
    }

    private func doctor() throws -> String {
        try ProgramRun(["doctor"], in: TemporaryDirectory(), environment: testbed.environment).output
    }

    @Test("a device whose driver states no unit gives neither motion nor shakes, with the reason")
    func deviceWithoutUnit() throws {
        try add(0, Self.accelerometer, Self.gyroscope, ["name": "chip"])
        let bus = try BusProcess(environment: testbed.environment)
        for aspect in ["motion", "shake"] {
            let description = try bus.description(of: aspect)
            #expect(description["available"] == false)
            #expect(
                description["reason"]?.stringValue
                    == "iio:device0 (chip) does not state the unit of its values, of which only the direction is known")
        }
        let motion = try bus.client().state(of: "motion")["motion"]?.objectValue
        #expect(motion?["acceleration"] == .null && motion?["rotation"] == .null)
        let pose = try bus.client().state(of: "orientation")["orientation"]?.objectValue?["pose"]
        #expect(pose == "portrait")
        let report = try doctor()
        #expect(report.contains("unknown, since the driver does not state the unit"), "\(report)")
    }

    @Test("a sensor that cannot be opened does not keep the doctor from the next one") func allSensorsAreExamined()
        throws
    {
        _ = try testbed.add(
            subsystem: "input", name: "event7", attributes: [:],
            properties: ["DEVNAME": "/dev/input/event7", "ID_INPUT_ACCELEROMETER": "1"])
        try add(0, Self.gyroscope, ["in_anglvel_scale": "0.001"])
        let report = try doctor()
        #expect(report.contains("join the group input to read"), "\(report)")
        #expect(report.contains("rotation in rad/s"), "\(report)")
    }

    @Test("a driver that reports its listed device as missing is not searched for at each sample")
    func missingDeviceIsSearchedForRarely() throws {
        let sensor = try add(0, Self.accelerometer, ["in_accel_scale": "0.00980665"])
        try add(1, ["name": "proximity", "in_proximity_raw": "0", "in_proximity_nearlevel": "100"])
        let directory = testbed.root + sensor.path
        let proximity = try ReadCounter(testbed.root + "/sys/devices/iio:device1/in_proximity_raw")
        let bus = try BusProcess(
            configuration: "{ proximity: { sampleInterval: 0.01 } }", environment: testbed.environment)
        let clock = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        let subscriber = try bus.subscribe(
            #"{"aspects":["motion"],"policies":[{"aspect":"motion","interval":10}]}"#)
        _ = try subscriber.next()
        let searches = try ReadCounter(directory + "/name")
        // A socket is there, but to open it fails with ENXIO.
        unlink(directory + "/in_accel_x_raw")
        let listener = try UnixListener(at: UnixAddress("unix:" + directory + "/in_accel_x_raw"))
        try proximity.wait(for: proximity.count + 200)
        #expect(searches.count < 100)
        withExtendedLifetime((listener, clock)) {}
        unlink(directory + "/in_accel_x_raw")
        try sensor.set("in_accel_x_raw", "1000")
        try subscriber.wait(for: "motion") { ($0["acceleration"]?.objectValue?["x"]?.numberValue ?? 0) > 0.9 }
    }
}
