// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A phone made of synthetic devices and files: what one carries in a pocket, without hardware.
///
/// It has a battery and a charger, an accelerometer, a proximity sensor, a locale file and a settings
/// file. Programs see it when they are started with ``environment``, and read its files below ``files``.
public final class SyntheticPhone {
    /// How the phone can be held.
    public enum Pose: String, Sendable, CaseIterable {
        /// Upright, top edge up.
        case portrait
        /// Upright, bottom edge up.
        case portraitUpsideDown
        /// Right edge up.
        case landscapeLeft
        /// Left edge up.
        case landscapeRight
        /// Flat, display up.
        case faceUp
        /// Flat, display down.
        case faceDown

        /// Gravity in g: to the right of the display, to its top, and out of it.
        fileprivate var gravity: (x: Int, y: Int, z: Int) {
            switch self {
            case .portrait: (0, -1, 0)
            case .portraitUpsideDown: (0, 1, 0)
            case .landscapeLeft: (-1, 0, 0)
            case .landscapeRight: (1, 0, 0)
            case .faceUp: (0, 0, -1)
            case .faceDown: (0, 0, 1)
            }
        }
    }

    /// The devices, for what this type has no word for.
    public let testbed: Testbed
    /// The directory that stands for `/` of the files; gone with the phone.
    public var files: String { directory.path }
    /// The home directory, as programs name it.
    public let home = "/home/phone"

    private let directory: TemporaryDirectory
    private let battery: SyntheticDevice
    private let charger: SyntheticDevice
    private let accelerometer: SyntheticDevice
    private let proximity: SyntheticDevice

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
        charger = try testbed.add(
            subsystem: "power_supply", name: "charger", attributes: ["type": "USB", "online": "0"],
            properties: ["POWER_SUPPLY_NAME": "charger"])
        battery = try testbed.add(
            subsystem: "power_supply", name: "battery",
            attributes: ["type": "Battery", "present": "1", "status": "Discharging", "capacity": "80"],
            properties: ["POWER_SUPPLY_NAME": "battery"])
        accelerometer = try testbed.add(
            subsystem: "iio", name: "iio:device0",
            attributes: [
                "name": "accel_3d", "in_accel_x_raw": "0", "in_accel_y_raw": "-\(Self.gravity)",
                "in_accel_z_raw": "0", "in_accel_scale": Self.scale,
            ],
            properties: ["DEVTYPE": "iio_device"])
        proximity = try testbed.add(
            subsystem: "iio", name: "iio:device1",
            attributes: [
                "name": "prox", "in_proximity_raw": "0", "in_proximity_nearlevel": "\(Self.nearLevel)",
            ],
            properties: ["DEVTYPE": "iio_device"])
        try setLocale("en_US.UTF-8")
        try write("{}", to: home + "/.config/settings.json")
    }

    /// What a program needs in its environment to run on this phone.
    public var environment: [String: String] {
        testbed.environment.merging(["HOME": home]) { $1 }
    }

    /// Sets the charge, in percent, and tells of it as a driver does.
    public func setLevel(_ percent: Int) throws(TestbedError) {
        try battery.set("capacity", "\(percent)")
        try battery.uevent("change")
    }

    /// Puts the charger in.
    public func plugIn() throws(TestbedError) {
        try setPower(online: "1", status: "Charging")
    }

    /// Pulls the charger out.
    public func unplug() throws(TestbedError) {
        try setPower(online: "0", status: "Discharging")
    }

    /// Turns the phone; the sensor is sampled, it tells of nothing.
    public func rotate(to pose: Pose) throws(TestbedError) {
        let (x, y, z) = pose.gravity
        try accelerometer.set("in_accel_x_raw", "\(x * Self.gravity)")
        try accelerometer.set("in_accel_y_raw", "\(y * Self.gravity)")
        try accelerometer.set("in_accel_z_raw", "\(z * Self.gravity)")
    }

    /// Holds the phone to an ear, or takes it away.
    public func setNear(_ isNear: Bool) throws(TestbedError) {
        try proximity.set("in_proximity_raw", "\(isNear ? 10 * Self.nearLevel : 0)")
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

    private func setPower(online: String, status: String) throws(TestbedError) {
        try battery.set("status", status)
        try charger.set("online", online)
        try charger.uevent("change")
    }
}
