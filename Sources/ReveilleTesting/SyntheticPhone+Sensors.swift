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
        let axes = [("x", gravity.x), ("y", gravity.y), ("z", gravity.z)]
        try accelerometer.set(
            Dictionary(uniqueKeysWithValues: axes.map { ("in_accel_\($0)_raw", "\($1 * Self.rawGravity)") }))
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
    static var accelerationUnit: Double { Double(rawGravity) }
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

    static func proximitySensor(_ testbed: Testbed) -> SyntheticPart {
        sensor(
            testbed, 1,
            ["name": "prox", "in_proximity_raw": "0", "in_proximity_nearlevel": "\(SyntheticPhone.nearLevel)"])
    }

    static func lightSensor(_ testbed: Testbed) -> SyntheticPart {
        sensor(testbed, 3, ["name": "als", "in_illuminance_raw": "1000", "in_illuminance_scale": "0.1"])
    }

    /// A sensor of the IIO subsystem.
    static func sensor(_ testbed: Testbed, _ number: Int, _ attributes: [String: String]) -> SyntheticPart {
        SyntheticPart(
            testbed, subsystem: "iio", name: "iio:device\(number)", attributes: attributes,
            type: ("DEVTYPE", "iio_device"))
    }
}

extension Orientation.Pose {
    /// Gravity in g: toward the right of the display, its top, and the viewer; `nil` for an unknown pose.
    fileprivate var gravity: (x: Int, y: Int, z: Int)? {
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
