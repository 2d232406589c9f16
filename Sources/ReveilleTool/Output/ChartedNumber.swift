// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleWire
import Varlink

/// The number by which a chart shows the state of an aspect.
struct ChartedNumber: Sendable {
    let unit: String
    /// The range of all possible numbers; `nil` if it is open.
    let range: ClosedRange<Double>?
    /// Returns the number of a state; `nil` if the device does not know it.
    let value: @Sendable (Reading) -> Double?

    /// Returns the number of an aspect; `nil` if its state has none, or several of equal importance.
    init?(_ aspect: Aspect) {
        guard let charted = aspect.builtIn?.fields.first(where: { $0.chartUnit != nil }),
            let unit = charted.chartUnit
        else { return nil }
        let isLevel = if case .level = charted.values { true } else { false }
        self.unit = unit
        range = isLevel ? 0...100 : nil
        value = { reading in
            let number = ReadingCoding.encode(reading).objectValue?[charted.name]?.numberValue
            return number.map { isLevel ? $0 * 100 : $0 }
        }
    }

    /// Returns a number with its unit, and with one decimal place where there are decimals.
    func text(_ number: Double) -> String {
        let tenths = (number * 10).rounded() / 10
        guard tenths.isFinite, abs(tenths) < 1e15 else { return "\(number)\(unit)" }
        return (tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)") + unit
    }
}
