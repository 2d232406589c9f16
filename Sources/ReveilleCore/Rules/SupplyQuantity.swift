// SPDX-License-Identifier: Apache-2.0

/// A number that a driver reports about a pack, and the values that can be right.
///
/// Some drivers report another unit, such as mWh where the kernel's document sysfs-class-power has µWh. The ranges are
/// wide enough for every pack from an earphone's to an electric bicycle's, and narrow enough to notice a factor of 1,000
/// in most.
package struct SupplyQuantity: Sendable {
    package let attribute: String
    /// The unit of the value and of the range.
    package let unit: String
    /// The number of the attribute's units in one unit of the value.
    private let divisor: Double
    /// The values that can be right.
    private let range: ClosedRange<Double>

    private init(_ attribute: String, in range: ClosedRange<Double>, _ unit: String, divisor: Double = 1e6) {
        self.attribute = attribute
        self.range = range
        self.unit = unit
        self.divisor = divisor
    }

    private static let all: [String: SupplyQuantity] = {
        var all: [SupplyQuantity] = []
        for end in ["now", "avg"] {
            all.append(SupplyQuantity("energy_" + end, in: 0...1_000, "Wh"))
            all.append(SupplyQuantity("charge_" + end, in: 0...300, "Ah"))
            all.append(SupplyQuantity("power_" + end, in: -500...500, "W"))
            all.append(SupplyQuantity("current_" + end, in: -100...100, "A"))
        }
        for end in ["full", "full_design"] {
            // 99 Wh, the most that airlines allow, would be 0.099 Wh in mWh; 10 Ah would be 0.01 Ah in mAh.
            all.append(SupplyQuantity("energy_" + end, in: 0.1...1_000, "Wh"))
            all.append(SupplyQuantity("charge_" + end, in: 0.02...300, "Ah"))
        }
        // A cell is empty above 2 V, and an electric bicycle has less than 60 V.
        for end in ["now", "avg", "min_design", "max_design"] {
            all.append(SupplyQuantity("voltage_" + end, in: 1...100, "V"))
        }
        // In tenths of a degree. Cells burn above 150 °C.
        all.append(SupplyQuantity("temp", in: -50...150, "°C", divisor: 10))
        // Drivers report 0 or -1 if they do not know.
        all.append(SupplyQuantity("cycle_count", in: 1...100_000, "cycles", divisor: 1))
        return Dictionary(uniqueKeysWithValues: all.map { ($0.attribute, $0) })
    }()

    package static let attributes = all.keys.sorted()

    /// Returns the value of an attribute of a supply; `nil` if it is missing or cannot be right.
    package static func value(_ attribute: String, of supply: PowerSupply) -> Double? {
        guard let quantity = all[attribute], let number = supply.number(attribute) else { return nil }
        let value = number / quantity.divisor
        return quantity.range.contains(value) ? value : nil
    }

    /// Returns the reason why an attribute of a supply is ignored; `nil` if it is missing or used.
    package static func doubt(_ attribute: String, of supply: PowerSupply) -> String? {
        guard let quantity = all[attribute], let text = supply[attribute], value(attribute, of: supply) == nil
        else { return nil }
        let (low, high) = (quantity.range.lowerBound, quantity.range.upperBound)
        return "\(attribute)=\(SysfsText.trimmed(text)) is ignored: it is not from \(low) to \(high) \(quantity.unit)"
    }
}
