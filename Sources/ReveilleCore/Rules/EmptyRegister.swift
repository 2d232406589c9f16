// SPDX-License-Identifier: Apache-2.0

/// The numbers that a driver passes on when its chip does not answer: all bits of a register are ones.
enum EmptyRegister {
    /// The registers with all ones: unsigned, and signed without the sign.
    private static let ones: Set<Double> = Set(
        [15, 16, 31, 32, 63, 64].map { exponent in
            // From 2^53 on, the power itself is the nearest number.
            Double(sign: .plus, exponent: exponent, significand: 1) - 1
        })
    /// Drivers convert registers in units such as 1 mAh or 10 mWh to the units of sysfs.
    private static let scales = [1.0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

    static func contains(_ number: Double) -> Bool {
        scales.contains { ones.contains(abs(number) / $0) }
    }
}
