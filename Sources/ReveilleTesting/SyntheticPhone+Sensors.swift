// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

extension SyntheticPhone {
    /// Rotates the phone to a pose; the sensor is polled and sends no uevent.
    ///
    /// ```swift
    /// try phone.rotate(to: .landscapeLeft)
    /// ```
    ///
    /// - Throws: `TestbedError` for `unknown`, which is not a physical pose; remove the ``accelerometer`` instead.
    public func rotate(to pose: Orientation.Pose) throws(TestbedError) {
        guard let gravity = pose.gravity else {
            throw TestbedError("rotate to \"unknown\": not a pose; remove the accelerometer instead")
        }
        try accelerate(x: gravity.x, y: gravity.y, z: gravity.z)
    }

    /// Sets the acceleration that the ``accelerometer`` measures from now on, in g and with gravity.
    ///
    /// The axes are those of the display: x to its right, y to its top, and z to the viewer, as in
    /// `Motion.acceleration`. A phone at rest has (0, -1, 0) upright and (0, 0, -1) on its back; ``rotate(to:)`` sets
    /// these values. The sensor has steps of a thousandth of a g. The aspects `motion`, `shake` and `orientation`
    /// follow, when the bus polls it next: the sensor sends no uevent. A removed accelerometer has the acceleration
    /// when it is inserted again.
    ///
    /// ```swift
    /// try phone.accelerate(x: 2, y: -1, z: 0)  // pushed to the right, upright
    /// ```
    ///
    /// - Throws: `TestbedError` for a value that is not finite or is above two million g, or if the file cannot be
    ///   written.
    public func accelerate(x: Double, y: Double, z: Double) throws(TestbedError) {
        try set(accelerometer, "in_accel", (x, y, z), unit: Double(Self.rawGravity))
    }

    /// Sets the rotation in radians per second about the axes of the display, by the right-hand rule.
    ///
    /// ```swift
    /// try phone.spin(x: 0, y: 0, z: 1.5)
    /// ```
    ///
    /// - Throws: `TestbedError` if the file cannot be written.
    public func spin(x: Double, y: Double, z: Double) throws(TestbedError) {
        try set(gyroscope, "in_anglvel", (x, y, z), unit: 1_000_000)
    }

    private func set(
        _ sensor: SyntheticPart, _ channel: String, _ vector: (Double, Double, Double), unit: Double
    ) throws(TestbedError) {
        var values: [String: String] = [:]
        for (axis, value) in [("x", vector.0), ("y", vector.1), ("z", vector.2)] {
            guard let raw = Int32(exactly: (value * unit).rounded()) else {
                throw TestbedError("\(sensor.name): \(value) is beyond the range of the sensor")
            }
            values["\(channel)_\(axis)_raw"] = "\(raw)"
        }
        try sensor.set(values)
    }

    /// Covers or uncovers the proximity sensor, which is polled and sends no uevent.
    ///
    /// ```swift
    /// try phone.setNear(true)
    /// ```
    ///
    /// - Throws: `TestbedError` if the file cannot be written.
    public func setNear(_ isNear: Bool) throws(TestbedError) {
        try proximitySensor.set(["in_proximity_raw": "\(isNear ? 10 * Self.nearLevel : 0)"])
    }

    /// Sets the light around the phone, whose sensor is polled and sends no uevent.
    ///
    /// ```swift
    /// try phone.setLight(120)
    /// ```
    ///
    /// - Parameter lux: The illuminance in lux, rounded to tenths.
    /// - Throws: `TestbedError` if no sensor can measure the illuminance.
    public func setLight(_ lux: Double) throws(TestbedError) {
        guard 0...LightRule.limit ~= lux else {
            throw TestbedError("light of \(lux) lux must be between 0 and \(Int(LightRule.limit))")
        }
        try lightSensor.set(["in_illuminance_raw": "\(Int((lux * 10).rounded()))"])
    }

    /// The raw value of 1 g at ``scale`` meters per second squared.
    fileprivate static var rawGravity: Int { 980 }
    fileprivate static var scale: String { "0.010007" }
    /// The raw value at and above which an object is near.
    fileprivate static var nearLevel: Int { 100 }
}

extension SyntheticPart {
    static func charger(_ testbed: Testbed) -> SyntheticPart {
        SyntheticPart(
            testbed, subsystem: "power_supply", name: "charger", attributes: ["type": "USB", "online": "0"],
            type: ("POWER_SUPPLY_NAME", "charger"))
    }

    static func accelerometer(_ testbed: Testbed) -> SyntheticPart {
        sensor(
            testbed, 0,
            [
                "name": "accel_3d", "in_accel_x_raw": "0", "in_accel_y_raw": "-\(SyntheticPhone.rawGravity)",
                "in_accel_z_raw": "0", "in_accel_scale": SyntheticPhone.scale,
            ])
    }

    static func gyroscope(_ testbed: Testbed) -> SyntheticPart {
        sensor(
            testbed, 2,
            [
                "name": "gyro_3d", "in_anglvel_x_raw": "0", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "0",
                "in_anglvel_scale": "0.000001", "in_anglvel_hysteresis": "5",
            ])
    }

    static func proximitySensor(_ testbed: Testbed) -> SyntheticPart {
        sensor(
            testbed, 1,
            ["name": "prox", "in_proximity_raw": "0", "in_proximity_nearlevel": "\(SyntheticPhone.nearLevel)"])
    }

    static func lightSensor(_ testbed: Testbed) -> SyntheticPart {
        sensor(testbed, 3, ["name": "als", "in_illuminance_raw": "1000", "in_illuminance_scale": "0.1"])
    }

    private static func sensor(_ testbed: Testbed, _ number: Int, _ attributes: [String: String]) -> SyntheticPart {
        SyntheticPart(
            testbed, subsystem: "iio", name: "iio:device\(number)", attributes: attributes,
            type: ("DEVTYPE", "iio_device"))
    }
}

extension Orientation.Pose {
    /// Gravity in g: toward the right of the display, its top, and the viewer; `nil` for an unknown pose.
    fileprivate var gravity: (x: Double, y: Double, z: Double)? {
        switch self {
        case .unknown: nil
        case .portrait: (0, -1, 0)
        case .portraitUpsideDown: (0, 1, 0)
        case .landscapeLeft: (-1, 0, 0)
        case .landscapeRight: (1, 0, 0)
        case .faceUp: (0, 0, -1)
        case .faceDown: (0, 0, 1)
        }
    }
}
