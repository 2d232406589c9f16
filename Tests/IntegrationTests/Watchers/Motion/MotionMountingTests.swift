// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// Chips whose accelerometer is mounted as udev's database states, with a matrix that mirrors.
@Suite(.blocking, .timeLimit(.minutes(10))) struct MotionMountingTests {
    private static let accelerometer = [
        "in_accel_x_raw": "0", "in_accel_y_raw": "-1000", "in_accel_z_raw": "0", "in_accel_scale": "0.00980665",
    ]
    private static let gyroscope = [
        "in_anglvel_x_raw": "1571", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "0", "in_anglvel_scale": "0.001",
    ]
    private static let identity = "1, 0, 0; 0, 1, 0; 0, 0, 1"
    private let testbed: Testbed

    init() throws {
        testbed = try Testbed()
    }

    private func add(_ number: Int, _ parts: [String: String]..., properties: [String: String] = [:]) throws {
        var attributes = ["name": "chip"]
        for part in parts { attributes.merge(part) { $1 } }
        let common = ["DEVTYPE": "iio_device"]
        _ = try testbed.add(
            subsystem: "iio", name: "iio:device\(number)", attributes: attributes,
            properties: common.merging(properties) { $1 })
    }

    private static let mounting = ["ACCEL_MOUNT_MATRIX": "0, -1, 0; 0, 0, -1; -1, 0, 0"]

    private func expect(rotation: (Double, Double, Double)) throws {
        let bus = try BusProcess(environment: testbed.environment)
        let event = try bus.client().state(of: "motion")
        let motion = try #require(event["motion"]?.objectValue)
        #expect(motion.isClose("acceleration", (1, 0, 0), within: 0.02))
        #expect(motion.isClose("rotation", rotation, within: 0.01), "\(motion)")
    }

    @Test("B140: the identity, which drivers show by default, is not the mounting of a gyroscope")
    func identityIsUnknown() throws {
        try add(0, Self.accelerometer, properties: Self.mounting)
        try add(1, Self.gyroscope, ["in_mount_matrix": Self.identity])
        try expect(rotation: (0, 0, 1.571))
    }

    @Test("B140: a gyroscope's own mounting is preferred to the accelerometer's") func ownMountingIsPreferred()
        throws
    {
        try add(0, Self.accelerometer, properties: Self.mounting)
        try add(1, Self.gyroscope, ["in_mount_matrix": "-1, 0, 0; 0, -1, 0; 0, 0, -1"])
        try expect(rotation: (1.571, 0, 0))
    }

    @Test("B140: both sensors of one chip have the mounting from udev's database") func chipHasOneMounting() throws {
        try add(
            0, Self.accelerometer, Self.gyroscope, ["in_mount_matrix": "-1, 0, 0; 0, -1, 0; 0, 0, -1"],
            properties: Self.mounting)
        try expect(rotation: (0, 0, 1.571))
    }
}
