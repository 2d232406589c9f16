// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A simulated phone made of synthetic devices and files.
///
/// It has batteries, a charger, an accelerometer, a gyroscope, a proximity sensor, a light sensor, a screen with a
/// backlight, a network, a locale file and settings files. Programs started with ``run(_:environment:timeout:)`` or
/// ``environment`` see the devices through the real libudev, and ``startBus(configuration:)`` starts a bus that watches
/// the phone. The phone's directories and process end with the phone. Use a phone from one thread at a time.
///
/// ```swift
/// let phone = try SyntheticPhone(batteries: 2)
/// let bus = try phone.startBus()  // programs find it by REVEILLE_ADDRESS
/// try phone.battery.setLevel(0.2)
/// try phone.rotate(to: .landscapeLeft)
/// let result = try await phone.run(["reveille", "get", "battery"])
/// ```
public final class SyntheticPhone {
    /// The devices, for properties that this type does not model.
    public let testbed: Testbed
    /// The directory that represents the phone's `/`, removed with the phone.
    public let files: String
    /// The home directory below ``files``.
    public let home = "/home/phone"

    /// The first pack, which ``SyntheticPart/insert()`` adds to a phone created without batteries.
    public let battery: SyntheticBattery
    /// All packs, whether inserted or not; the first is ``battery``.
    public private(set) var batteries: [SyntheticBattery]
    /// The charger, for ``plugIn()`` and ``unplug()``.
    public let charger: SyntheticPart
    /// The accelerometer, which ``rotate(to:)`` and ``accelerate(x:y:z:)`` control.
    public let accelerometer: SyntheticPart
    /// The gyroscope, which ``spin(x:y:z:)`` controls.
    public let gyroscope: SyntheticPart
    /// The proximity sensor, which ``setNear(_:)`` controls.
    public let proximitySensor: SyntheticPart

    /// The ambient light sensor, which ``setLight(_:)`` controls.
    public let lightSensor: SyntheticPart
    /// The built-in screen, 1080 by 2340 pixels.
    public let screen: SyntheticPart
    /// A connected monitor, which is not inserted at first, 1920 by 1080 pixels.
    public let monitor: SyntheticPart
    /// The backlight of the built-in screen, which ``setBrightness(_:)`` controls.
    public let backlight: SyntheticPart
    /// The lid of a phone with a keyboard, which is not inserted at first; it is on while it is closed.
    public let lid: SyntheticSwitch
    /// The switch for the tablet mode, which is not inserted at first.
    public let tabletMode: SyntheticSwitch
    /// The switch for a docking station, which is not inserted at first.
    public let dock: SyntheticSwitch

    let directory: TemporaryDirectory
    /// The directory for `XDG_RUNTIME_DIR`.
    let runtime: TemporaryDirectory

    /// Creates a phone that is unplugged at 80%, upright and uncovered, and not connected to a network.
    ///
    /// Its language is English, it has one empty settings file, and its folder `~/Documents` is empty. Parts can be
    /// inserted and removed later.
    ///
    /// - Parameters:
    ///   - batteries: The number of battery packs.
    ///   - hasCharger: Whether the phone has a charger.
    ///   - hasAccelerometer: Whether the phone has an accelerometer.
    ///   - hasGyroscope: Whether the phone has a gyroscope.
    ///   - hasProximitySensor: Whether the phone has a proximity sensor.
    /// - Throws: `TestbedError` if umockdev is not installed or a file cannot be written.
    public init(
        batteries: Int = 1, hasCharger: Bool = true, hasAccelerometer: Bool = true, hasGyroscope: Bool = true,
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
        gyroscope = .gyroscope(testbed)
        proximitySensor = .proximitySensor(testbed)
        lightSensor = .lightSensor(testbed)
        screen = .screen(testbed, connector: "DSI-1", mode: "1080x2340")
        monitor = .screen(testbed, connector: "HDMI-A-1", mode: "1920x1080")
        backlight = .backlight(testbed)
        lid = SyntheticSwitch(testbed, .lid)
        tabletMode = SyntheticSwitch(testbed, .tabletMode)
        dock = SyntheticSwitch(testbed, .dock)
        if hasCharger { try charger.insert() }
        if batteries > 0 { try battery.insert() }
        for _ in 1..<max(1, batteries) { try addBattery() }
        if hasAccelerometer { try accelerometer.insert() }
        if hasGyroscope { try gyroscope.insert() }
        if hasProximitySensor { try proximitySensor.insert() }
        for part in [lightSensor, screen, backlight] { try part.insert() }
        try describe()
        try disconnect()
        try setLocale("en_US.UTF-8")
        try writeSettings("{}")
        try makeDocuments()
    }

    /// Adds a battery pack that is charged to 80% and discharging.
    ///
    /// - Returns: The pack, which is the last of ``batteries`` and named `battery2`, `battery3` and so on.
    /// - Throws: `TestbedError` if umockdev rejects the device.
    @discardableResult
    public func addBattery() throws(TestbedError) -> SyntheticBattery {
        let pack = SyntheticBattery(testbed, name: "battery\(batteries.count + 1)")
        try pack.insert()
        batteries.append(pack)
        return pack
    }

    /// Connects the charger; every pack charges.
    ///
    /// - Throws: `TestbedError` if the phone has no charger.
    public func plugIn() throws(TestbedError) {
        try setPower(online: true, .charging)
    }

    /// Disconnects the charger; every pack discharges.
    ///
    /// - Throws: `TestbedError` if the phone has no charger.
    public func unplug() throws(TestbedError) {
        try setPower(online: false, .discharging)
    }

    private func setPower(online: Bool, _ status: Battery.ChargeStatus) throws(TestbedError) {
        guard charger.isPresent else { throw TestbedError("the phone has no charger") }
        try testbed.step { () throws(TestbedError) in
            for pack in batteries { try pack.setStatusSilently(status) }
            try charger.change(["online": online ? "1" : "0"])
        }
    }

    /// Changes the first battery's level repeatedly by one percent, away and back, at full speed.
    ///
    /// The changes are not separate steps: the bus counts the changes it observes, and has read the last one on return.
    ///
    /// ```swift
    /// try phone.burst(1_000)
    /// ```
    ///
    /// - Parameter count: The number of changes.
    /// - Throws: `TestbedError` if umockdev or the bus fails.
    public func burst(_ count: Int) throws(TestbedError) {
        let level = battery.level
        let other = level > 0 ? level - 0.01 : 0.01
        try testbed.unwatched { () throws(TestbedError) in
            for round in 0..<max(0, count) { try battery.setLevel(round.isMultiple(of: 2) ? other : level) }
        }
        try testbed.step {}
    }
}
