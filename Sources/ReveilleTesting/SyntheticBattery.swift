// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore

/// A battery pack of a ``SyntheticPhone``.
///
/// Setting a property sends a uevent, as a driver does. Setters cannot throw. They fail only if the disk is full or the
/// phone's host process was killed, after which no test is meaningful: the process aborts with the reason on stderr.
///
/// ```swift
/// phone.battery.level = 0.15
/// phone.battery.status = .charging
/// try phone.battery.remove()
/// ```
public final class SyntheticBattery: SyntheticPart {
    private var state = (level: 0.8, status: Battery.ChargeStatus.discharging)
    /// The power in watts, positive while the pack charges and negative while it discharges; `nil` until ``setPower(_:)``.
    public private(set) var power: Double?

    init(_ testbed: Testbed, name: String) {
        super.init(
            testbed, subsystem: "power_supply", name: name,
            attributes: ["type": "Battery", "present": "1", "status": "Discharging", "capacity": "80"],
            type: ("POWER_SUPPLY_NAME", name))
    }

    /// The charge from 0 to 1, rounded to whole percent as reported by drivers: 0.204 becomes 0.2.
    ///
    /// A level outside 0 to 1 aborts the process, as every failure of a setter does.
    public var level: Double {
        get { state.level }
        set { must { () throws(TestbedError) in try setLevel(newValue) } }
    }

    /// The status of the pack, which ``SyntheticPhone/plugIn()`` and ``SyntheticPhone/unplug()`` also set.
    public var status: Battery.ChargeStatus {
        get { state.status }
        set {
            must { () throws(TestbedError) in
                state.status = newValue
                try change(["status": Self.word(newValue)])
            }
        }
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

    package func setLevel(_ level: Double) throws(TestbedError) {
        guard (0...1).contains(level) else { throw TestbedError("\(name): level \(level) must be between 0 and 1") }
        let percent = Int((level * 100).rounded())
        state.level = Double(percent) / 100
        try change(gaugeAttributes.merging(["capacity": "\(percent)"]) { $1 })
    }

    private var gaugeAttributes: [String: String] {
        guard let power else { return [:] }
        let micro = { (value: Double) in "\(Int((value * 1e6).rounded()))" }
        let voltage = 3.85
        return [
            "energy_now": micro(state.level * Self.fullEnergy), "energy_full": micro(Self.fullEnergy),
            "energy_full_design": micro(Self.fullEnergy / 0.9), "power_now": micro(abs(power)),
            "current_now": micro(abs(power) / voltage), "voltage_now": micro(voltage), "temp": "253",
            "cycle_count": "120", "technology": "Li-ion", "manufacturer": "Reveille", "model_name": "Synthetic",
        ]
    }

    /// Sets the status without a uevent; the charger's uevent follows.
    func setStatus(_ status: Battery.ChargeStatus) throws(TestbedError) {
        state.status = status
        try set(["status": Self.word(status)])
    }

    private func must(_ change: () throws(TestbedError) -> Void) {
        do throws(TestbedError) {
            try change()
        } catch {
            error.abort()
        }
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
