// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// A battery pack of a ``SyntheticPhone``.
///
/// Setting a state sends a uevent, as a driver does.
///
/// ```swift
/// try phone.battery.setLevel(0.15)
/// try phone.battery.setStatus(.charging)
/// try phone.battery.remove()
/// ```
public final class SyntheticBattery: SyntheticPart {
    /// The charge from 0 to 1 in whole percent, as reported by drivers.
    public private(set) var level = 0.8
    /// The status of the pack, which ``SyntheticPhone/plugIn()`` and ``SyntheticPhone/unplug()`` also set.
    public private(set) var status = Battery.ChargeStatus.discharging
    /// The power in watts, positive while the pack charges and negative while it discharges; `nil` until ``setPower(_:)``.
    public private(set) var power: Double?

    init(_ testbed: Testbed, name: String) {
        super.init(
            testbed, subsystem: "power_supply", name: name,
            attributes: ["type": "Battery", "present": "1", "status": "Discharging", "capacity": "80"],
            type: ("POWER_SUPPLY_NAME", name))
    }

    /// The greatest absolute value of ``power``.
    public static let greatestPower = 500.0

    /// The energy of the full pack in watt-hours, once ``setPower(_:)`` was called.
    public static let fullEnergy = 15.0

    /// Sets the power in watts, positive while the pack charges and negative while it discharges.
    ///
    /// The pack then has a gauge: energy, voltage, temperature, cycles, manufacturer and model. Like drivers, the pack
    /// reports only the absolute value, so ``status`` must match the sign, and sends no uevent.
    ///
    /// ```swift
    /// try phone.battery.setPower(-3)
    /// ```
    ///
    /// - Throws: `TestbedError` if the power exceeds ``greatestPower``, or a file cannot be written.
    public func setPower(_ power: Double) throws(TestbedError) {
        guard abs(power) <= Self.greatestPower else {
            throw TestbedError(
                "\(name): power \(power) must be between -\(Self.greatestPower) and \(Self.greatestPower)")
        }
        self.power = power
        try set(gaugeAttributes)
    }

    /// Sets the charge from 0 to 1, rounded to whole percent: 0.204 becomes 0.2.
    ///
    /// - Throws: `TestbedError` if the level is not from 0 to 1, or a file cannot be written.
    public func setLevel(_ level: Double) throws(TestbedError) {
        guard (0...1).contains(level) else { throw TestbedError("\(name): level \(level) must be between 0 and 1") }
        let percent = Int((level * 100).rounded())
        self.level = Double(percent) / 100
        try change(gaugeAttributes.merging(["capacity": "\(percent)"]) { $1 })
    }

    private var gaugeAttributes: [String: String] {
        guard let power else { return [:] }
        let micro = { (value: Double) in "\(Int((value * 1e6).rounded()))" }
        let voltage = 3.85
        return [
            "energy_now": micro(level * Self.fullEnergy), "energy_full": micro(Self.fullEnergy),
            "energy_full_design": micro(Self.fullEnergy / 0.9), "power_now": micro(abs(power)),
            "current_now": micro(abs(power) / voltage), "voltage_now": micro(voltage), "temp": "253",
            "cycle_count": "120", "technology": "Li-ion", "manufacturer": "Reveille", "model_name": "Synthetic",
        ]
    }

    /// Sets the status of the pack.
    ///
    /// - Throws: `TestbedError` if a file cannot be written.
    public func setStatus(_ status: Battery.ChargeStatus) throws(TestbedError) {
        self.status = status
        try change(["status": Self.word(status)])
    }

    /// Sets the status without a uevent; the charger's uevent follows.
    func setStatusSilently(_ status: Battery.ChargeStatus) throws(TestbedError) {
        self.status = status
        try set(["status": Self.word(status)])
    }

    /// Returns the kernel's name of a status (sysfs-class-power).
    private static func word(_ status: Battery.ChargeStatus) -> String {
        switch status {
        case .unknown: "Unknown"
        case .charging: "Charging"
        case .discharging: "Discharging"
        case .notCharging: "Not charging"
        case .full: "Full"
        }
    }
}
