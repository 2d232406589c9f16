// SPDX-License-Identifier: Apache-2.0

/// A number that a driver reports about a pack, and its plausible values.
///
/// Some drivers report another unit, such as mWh where the kernel's document sysfs-class-power has µWh. The ranges fit
/// every pack from an earphone's to an electric bicycle's, and are narrow enough to notice a factor of 1,000 in most.
package enum SupplyQuantity {
    /// The plausible values, their unit, and the number of the attribute's units in one of this unit.
    private typealias Rule = (range: ClosedRange<Double>, unit: String, divisor: Double)

    /// The greatest energy of a pack in watt-hours.
    static let greatestEnergy = 1_000.0

    private static let all: [String: Rule] = {
        var all: [String: Rule] = [:]
        for end in ["now", "avg"] {
            all["energy_" + end] = (0...greatestEnergy, "Wh", 1e6)
            all["charge_" + end] = (0...300, "Ah", 1e6)
            all["power_" + end] = (-500...500, "W", 1e6)
            all["current_" + end] = (-100...100, "A", 1e6)
        }
        for end in ["full", "full_design"] {
            // 99 Wh, the most that airlines allow, would be 0.099 Wh in mWh; 10 Ah would be 0.01 Ah in mAh.
            all["energy_" + end] = (0.1...greatestEnergy, "Wh", 1e6)
            all["charge_" + end] = (0.02...300, "Ah", 1e6)
        }
        // A cell is empty above 2 V, and an electric bicycle has less than 60 V.
        for end in ["now", "avg", "min_design", "max_design"] {
            all["voltage_" + end] = (1...60, "V", 1e6)
        }
        // In tenths of a degree. Cells burn above 150 °C.
        all["temp"] = (-50...150, "°C", 10)
        // Drivers report 0 or -1 if they do not know.
        all["cycle_count"] = (1...100_000, "cycles", 1)
        return all
    }()

    package static let attributes: [String] = all.keys.sorted()

    /// Returns the value of an attribute of a supply; `nil` if it is missing or implausible.
    package static func value(_ attribute: String, of supply: PowerSupply) -> Double? {
        guard let quantity = all[attribute], let number = supply.number(attribute) else { return nil }
        let value = number / quantity.divisor
        return quantity.range.contains(value) ? value : nil
    }

    /// Returns the greatest plausible number of an attribute, in units of the attribute.
    static func limit(of attribute: String) -> Double { all[attribute].map { $0.range.upperBound * $0.divisor } ?? 0 }

    /// Returns the reason why an attribute of a supply is ignored; `nil` if it is missing or used.
    package static func doubt(_ attribute: String, of supply: PowerSupply) -> String? {
        guard let quantity = all[attribute], let text = supply[attribute], value(attribute, of: supply) == nil
        else { return nil }
        if SysfsText.number(text).map(EmptyRegister.contains) == true {
            return "\(attribute)=\(SysfsText.trimmed(text)) is ignored: all bits of the register are set"
        }
        let (low, high) = (quantity.range.lowerBound, quantity.range.upperBound)
        return "\(attribute)=\(SysfsText.trimmed(text)) is ignored: it is not from \(low) to \(high) \(quantity.unit)"
    }
}
