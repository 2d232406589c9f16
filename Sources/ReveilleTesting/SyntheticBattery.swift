// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore

/// A battery pack of a ``SyntheticPhone``.
///
/// Its state is set as a property and told of by a uevent, as a driver does it. A setter cannot throw, and what it
/// writes is the phone's own: when that fails the disk is full or the phone's host was killed, no test has a
/// meaning any more, and the process ends with the reason on stderr.
public final class SyntheticBattery: SyntheticPart {
    private var state = (level: 0.8, status: Battery.ChargeStatus.discharging)

    init(_ testbed: Testbed, name: String) {
        super.init(
            testbed, subsystem: "power_supply", name: name,
            attributes: ["type": "Battery", "present": "1", "status": "Discharging", "capacity": "80"],
            type: ("POWER_SUPPLY_NAME", name))
    }

    /// The charge, 0 to 1, in whole percent as drivers give it: 0.204 becomes 0.2.
    ///
    /// A level outside 0 to 1 ends the process, as every failure of a setter does.
    public var level: Double {
        get { state.level }
        set { must { () throws(TestbedError) in try setLevel(newValue) } }
    }

    /// What the pack says of itself; ``SyntheticPhone/plugIn()`` and ``SyntheticPhone/unplug()`` set it too.
    public var status: Battery.ChargeStatus {
        get { state.status }
        set {
            must { () throws(TestbedError) in
                state.status = newValue
                try change(["status": Self.word(newValue)])
            }
        }
    }

    /// Sets the level, for those who can go on without.
    package func setLevel(_ level: Double) throws(TestbedError) {
        guard (0...1).contains(level) else { throw TestbedError("\(name): the level \(level) is not 0 to 1") }
        let percent = Int((level * 100).rounded())
        state.level = Double(percent) / 100
        try change(["capacity": "\(percent)"])
    }

    /// Sets the status, of which the charger tells.
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

    /// The kernel's words (sysfs-class-power).
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
