// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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

    /// Sets the level and throws on failure.
    package func setLevel(_ level: Double) throws(TestbedError) {
        guard (0...1).contains(level) else { throw TestbedError("\(name): level \(level) must be between 0 and 1") }
        let percent = Int((level * 100).rounded())
        state.level = Double(percent) / 100
        try change(["capacity": "\(percent)"])
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
