// SPDX-License-Identifier: Apache-2.0

extension Double {
    /// The number, without a fraction if it is whole.
    var text: String { Int(exactly: self).map(String.init) ?? "\(self)" }

    /// A number from 0 to 1 as percent; `nil` for others, which may not fit an integer.
    var percent: String? { 0...1 ~= self ? "\(Int((self * 100).rounded()))%" : nil }

    /// The number with two decimals.
    var hundredths: String {
        guard let hundredths = Int(exactly: (abs(self) * 100).rounded()) else { return "\(self)" }
        let fraction = hundredths % 100
        let sign = self < 0 && hundredths > 0 ? "-" : ""
        return "\(sign)\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
