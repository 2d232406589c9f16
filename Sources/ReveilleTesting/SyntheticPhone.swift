// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore

/// A phone made of synthetic devices and files: what one carries in a pocket, without hardware.
///
/// It has batteries and a charger, an accelerometer, a proximity sensor, a locale file and settings files.
/// Programs see the devices through the real libudev when they are started by ``run(_:environment:)`` or with
/// ``environment``; ``startBus(configuration:)`` starts a bus that watches the phone. Everything is in a directory
/// and a process of the phone's own, and gone with it.
///
/// ```swift
/// let phone = try SyntheticPhone(batteries: 2)
/// let bus = try phone.startBus()                  // programs find it by REVEILLE_ADDRESS
/// phone.battery.level = 0.2
/// try phone.rotate(to: .landscapeLeft)
/// let result = try phone.run(["reveille", "get", "battery"])
/// ```
///
/// Used by one thread at a time.
public final class SyntheticPhone {
    /// The devices, for what this type has no word for.
    public let testbed: Testbed
    /// The directory that stands for `/` of the phone's files; gone with the phone.
    public let files: String
    /// The home directory below ``files``.
    public let home = "/home/phone"

    /// The first pack; a phone made without batteries can get it by ``SyntheticPart/insert()``.
    public let battery: SyntheticBattery
    /// All packs, in and out; the first is ``battery``.
    public private(set) var batteries: [SyntheticBattery]
    /// What the phone is plugged in by.
    public let charger: SyntheticPart
    /// What ``rotate(to:)`` turns.
    public let accelerometer: SyntheticPart
    /// What ``setNear(_:)`` covers.
    public let proximitySensor: SyntheticPart

    let directory: TemporaryDirectory
    /// What programs have for `XDG_RUNTIME_DIR`.
    let runtime: TemporaryDirectory

    /// Makes a phone: 80 % charged, unplugged, upright, nothing near, in English, with one empty settings file.
    ///
    /// Every part can also be put in and taken out later.
    ///
    /// - Parameters:
    ///   - batteries: How many packs it has.
    ///   - hasCharger: Whether there is something to plug it in by.
    ///   - hasAccelerometer: Whether it knows how it is held.
    ///   - hasProximitySensor: Whether it knows what is near.
    /// - Throws: `TestbedError` where umockdev is not installed or a file cannot be written.
    public init(
        batteries: Int = 1, hasCharger: Bool = true, hasAccelerometer: Bool = true,
        hasProximitySensor: Bool = true
    ) throws(TestbedError) {
        directory = try TemporaryDirectory()
        runtime = try TemporaryDirectory(forSocket: Self.socket)
        files = directory.path + "/files"
        testbed = try Testbed()
        try testbed.keep([directory, runtime])
        charger = .charger(testbed)
        battery = SyntheticBattery(testbed, name: "battery")
        self.batteries = [battery]
        accelerometer = .accelerometer(testbed)
        proximitySensor = .proximitySensor(testbed)
        if hasCharger { try charger.insert() }
        if batteries > 0 { try battery.insert() }
        for _ in 1..<max(1, batteries) { try addBattery() }
        if hasAccelerometer { try accelerometer.insert() }
        if hasProximitySensor { try proximitySensor.insert() }
        try setLocale("en_US.UTF-8")
        try writeSettings("{}")
    }

    /// Puts in one more pack: 80 % charged, discharging.
    ///
    /// - Returns: The pack, the last of ``batteries``; named `battery2`, `battery3` and so on.
    /// - Throws: `TestbedError` when umockdev refuses it.
    @discardableResult
    public func addBattery() throws(TestbedError) -> SyntheticBattery {
        let pack = SyntheticBattery(testbed, name: "battery\(batteries.count + 1)")
        try pack.insert()
        batteries.append(pack)
        return pack
    }

    /// Puts the charger in; every pack charges.
    ///
    /// - Throws: `TestbedError` when the phone has no charger.
    public func plugIn() throws(TestbedError) {
        try setPower(online: true, .charging)
    }

    /// Pulls the charger out; every pack discharges.
    ///
    /// - Throws: `TestbedError` when the phone has no charger.
    public func unplug() throws(TestbedError) {
        try setPower(online: false, .discharging)
    }

    private func setPower(online: Bool, _ status: Battery.ChargeStatus) throws(TestbedError) {
        guard charger.isPresent else { throw TestbedError("the phone has no charger") }
        try testbed.step { () throws(TestbedError) in
            for pack in batteries { try pack.setStatus(status) }
            try charger.change(["online": online ? "1" : "0"])
        }
    }

    /// Changes the first battery's level so many times, a percent away and back in turn, as fast as it goes.
    ///
    /// These alone are no steps: the bus counts what it sees of them, and has read the last one when this returns.
    ///
    /// - Parameter count: How many changes.
    /// - Throws: `TestbedError` when umockdev or the bus fails.
    public func burst(_ count: Int) throws(TestbedError) {
        let level = battery.level
        let other = level > 0 ? level - 0.01 : 0.01
        try testbed.unwatched { () throws(TestbedError) in
            for round in 0..<max(0, count) { try battery.setLevel(round.isMultiple(of: 2) ? other : level) }
        }
        try testbed.step {}
    }
}
