// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille

/// The number by which a chart shows the state of an aspect.
struct ChartedNumber: Sendable {
    /// The unit after a number, such as `%`.
    let unit: String
    /// The range of all possible numbers; `nil` if it is open.
    let range: ClosedRange<Double>?
    /// Returns the number of a state; `nil` if the device does not know it.
    let value: @Sendable (Reading) -> Double?

    /// Returns the number of an aspect; `nil` if its state has none, or several of equal importance.
    init?(_ aspect: Aspect) {
        let percent = 0.0...100.0
        switch aspect.builtIn {
        case .battery: self.init("%", percent) { $0.battery?.level.map { $0 * 100 } }
        case .display: self.init("%", percent) { $0.display?.brightness.map { $0 * 100 } }
        case .light: self.init(" lux", nil) { $0.light?.lux }
        case .power: self.init(" W", nil) { $0.power?.power }
        default: return nil
        }
    }

    private init(
        _ unit: String, _ range: ClosedRange<Double>?, _ value: @escaping @Sendable (Reading) -> Double?
    ) {
        (self.unit, self.range, self.value) = (unit, range, value)
    }

    /// Returns a number with its unit, and with one decimal place where there are decimals.
    func text(_ number: Double) -> String {
        let tenths = (number * 10).rounded() / 10
        guard tenths.isFinite, abs(tenths) < 1e15 else { return "\(number)\(unit)" }
        return (tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)") + unit
    }
}
