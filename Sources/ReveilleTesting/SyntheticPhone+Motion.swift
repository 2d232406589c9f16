// SPDX-License-Identifier: Apache-2.0

extension SyntheticPhone {
    /// Sets the acceleration in g along the axes of the display: to its right, its top, and the viewer.
    ///
    /// A phone that lies on its back has (0, 0, -1). The sensor is polled and sends no uevent.
    ///
    /// ```swift
    /// try phone.accelerate(x: 2, y: 0, z: 0)
    /// ```
    ///
    /// - Throws: `TestbedError` if the file cannot be written.
    public func accelerate(x: Double, y: Double, z: Double) throws(TestbedError) {
        try set(accelerometer, "in_accel", (x, y, z), unit: Self.accelerationUnit)
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
}

extension SyntheticPart {
    static func gyroscope(_ testbed: Testbed) -> SyntheticPart {
        sensor(
            testbed, 2,
            [
                "name": "gyro_3d", "in_anglvel_x_raw": "0", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "0",
                "in_anglvel_scale": "0.000001", "in_anglvel_hysteresis": "5",
            ])
    }
}
