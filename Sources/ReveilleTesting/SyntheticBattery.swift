// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore

/// A battery pack of a ``SyntheticPhone``.
public final class SyntheticBattery {
    /// The device, to take it out and put it in.
    public let part: SyntheticPart

    /// How full it is, 0 to 1; written in whole percent, and told by a uevent.
    ///
    /// Its file is in the phone's own directory. That it cannot be written is no case that a test goes on from: the
    /// process ends.
    public var level: Double {
        didSet {
            precondition((0...1).contains(level), "a level is 0 to 1, not \(level)")
            write(["capacity": Self.percent(level)])
        }
    }

    /// What the pack says of itself; told by a uevent, as ``level`` is.
    public var chargeStatus: Battery.ChargeStatus {
        didSet { write(["status": Self.text(chargeStatus)]) }
    }

    init(
        _ testbed: Testbed, name: String, level: Double, chargeStatus: Battery.ChargeStatus
    ) throws(TestbedError) {
        self.level = level
        self.chargeStatus = chargeStatus
        part = try SyntheticPart(
            testbed, subsystem: "power_supply", name: name,
            attributes: [
                "type": "Battery", "present": "1", "status": Self.text(chargeStatus),
                "capacity": Self.percent(level),
            ],
            properties: ["POWER_SUPPLY_NAME": name])
    }

    private func write(_ values: [String: String]) {
        do throws(TestbedError) {
            try part.set(values, tells: true)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func percent(_ level: Double) -> String {
        "\(Int((level * 100).rounded()))"
    }

    /// As the kernel writes it (Documentation/ABI/testing/sysfs-class-power).
    private static func text(_ status: Battery.ChargeStatus) -> String {
        switch status {
        case .unknown: "Unknown"
        case .charging: "Charging"
        case .discharging: "Discharging"
        case .notCharging: "Not charging"
        case .full: "Full"
        }
    }
}
