// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
public import ReveilleCore

/// A phone made of synthetic devices and files: what one carries in a pocket, without hardware.
///
/// It has a battery and a charger, an accelerometer, a proximity sensor, a locale file and a settings
/// file. Programs see it when they are started with ``environment``, and read its files below ``files``.
public final class SyntheticPhone {
    /// The devices, for what this type has no word for.
    public let testbed: Testbed
    /// The directory that stands for `/` of the files; gone with the phone.
    public var files: String { directory.path }
    /// The home directory, as programs name it.
    public let home = "/home/phone"

    /// The battery pack that is in from the start; ``addBattery(named:level:)`` adds others.
    public let battery: SyntheticBattery
    /// The charger's socket.
    public let charger: SyntheticPart
    /// The accelerometer; ``rotate(to:)`` sets it.
    public let accelerometer: SyntheticPart
    /// The proximity sensor; ``setNear(_:)`` sets it.
    public let proximitySensor: SyntheticPart

    private let directory: TemporaryDirectory
    private var batteries: [SyntheticBattery] = []

    /// The raw value of 1 g, at ``scale`` metres per second squared.
    private static let gravity = 980
    private static let scale = "0.010007"
    /// The raw value from which on something is near.
    private static let nearLevel = 100

    /// Makes a phone: 80 % charged, unplugged, upright, nothing near, in English.
    ///
    /// - Throws: `TestbedError` where umockdev is not installed or a file cannot be written.
    public init() throws(TestbedError) {
        directory = try TemporaryDirectory()
        testbed = try Testbed()
        charger = try SyntheticPart(
            testbed, subsystem: "power_supply", name: "charger", attributes: ["type": "USB", "online": "0"],
            properties: ["POWER_SUPPLY_NAME": "charger"])
        battery = try SyntheticBattery(testbed, name: "battery", level: 0.8, chargeStatus: .discharging)
        accelerometer = try SyntheticPart(
            testbed, subsystem: "iio", name: "iio:device0",
            attributes: [
                "name": "accel_3d", "in_accel_x_raw": "0", "in_accel_y_raw": "-\(Self.gravity)",
                "in_accel_z_raw": "0", "in_accel_scale": Self.scale,
            ],
            properties: ["DEVTYPE": "iio_device"])
        proximitySensor = try SyntheticPart(
            testbed, subsystem: "iio", name: "iio:device1",
            attributes: [
                "name": "prox", "in_proximity_raw": "0", "in_proximity_nearlevel": "\(Self.nearLevel)",
            ],
            properties: ["DEVTYPE": "iio_device"])
        batteries = [battery]
        try setLocale("en_US.UTF-8")
        try write("{}", to: home + "/.config/settings.json")
    }

    /// What a program needs in its environment to run on this phone.
    public var environment: [String: String] {
        testbed.environment.merging(["HOME": home]) { $1 }
    }

    /// Puts another battery pack in.
    public func addBattery(named name: String, level: Double) throws(TestbedError) -> SyntheticBattery {
        let battery = try SyntheticBattery(
            testbed, name: name, level: level, chargeStatus: battery.chargeStatus)
        batteries.append(battery)
        return battery
    }

    /// Puts the charger in.
    public func plugIn() throws(TestbedError) {
        try setPower(online: "1", .charging)
    }

    /// Pulls the charger out.
    public func unplug() throws(TestbedError) {
        try setPower(online: "0", .discharging)
    }

    /// Turns the phone; the sensor is sampled, it tells of nothing.
    ///
    /// - Throws: `TestbedError`; a phone cannot be held in the pose `Orientation.Pose.unknown`.
    public func rotate(to pose: Orientation.Pose) throws(TestbedError) {
        let (x, y, z) = try Self.gravity(in: pose)
        try accelerometer.set([
            "in_accel_x_raw": "\(x * Self.gravity)", "in_accel_y_raw": "\(y * Self.gravity)",
            "in_accel_z_raw": "\(z * Self.gravity)",
        ])
    }

    /// Gravity in g: to the right of the display, to its top, and out of it.
    private static func gravity(in pose: Orientation.Pose) throws(TestbedError) -> (x: Int, y: Int, z: Int) {
        switch pose {
        case .portrait: return (0, -1, 0)
        case .portraitUpsideDown: return (0, 1, 0)
        case .landscapeLeft: return (-1, 0, 0)
        case .landscapeRight: return (1, 0, 0)
        case .faceUp: return (0, 0, -1)
        case .faceDown: return (0, 0, 1)
        case .unknown: throw TestbedError("rotate: a phone cannot be held in the pose unknown")
        }
    }

    /// Holds the phone to an ear, or takes it away.
    public func setNear(_ isNear: Bool) throws(TestbedError) {
        try proximitySensor.set(["in_proximity_raw": "\(isNear ? 10 * Self.nearLevel : 0)"])
    }

    /// Sets the system's language, by its POSIX name: `de_DE.UTF-8`.
    public func setLocale(_ name: String) throws(TestbedError) {
        try write("LANG=\(name)\n", to: "/etc/locale.conf")
    }

    /// Writes a file of the phone whole, as a careful program does: a temporary file and a rename.
    ///
    /// - Parameters:
    ///   - contents: The text.
    ///   - path: The file as programs name it; directories that are missing are made.
    /// - Throws: `TestbedError` when it cannot be written.
    public func write(_ contents: String, to path: String) throws(TestbedError) {
        try directory.write(contents, to: String(path.drop { $0 == "/" }))
    }

    private func setPower(online: String, _ status: Battery.ChargeStatus) throws(TestbedError) {
        for battery in batteries { battery.chargeStatus = status }
        try charger.set(["online": online], tells: true)
    }
}
