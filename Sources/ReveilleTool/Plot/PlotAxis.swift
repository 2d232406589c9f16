// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The axis of a chart: round numbers at its ends and in its middle.
struct PlotAxis {
    /// The least number of a logarithmic axis, where smaller ones are drawn too: a lux, as on a moonlit night.
    private static let leastRatio = 1.0

    let low, middle, high: Double
    private let isLogarithmic: Bool

    /// Creates an axis that contains the least and the greatest value of a number.
    init(from least: Double, to most: Double, of number: ChartedNumber) {
        isLogarithmic = number.isLogarithmic
        if isLogarithmic {
            let start = Self.logarithm(least).rounded(.down)
            // An even number of powers of ten, so that the middle is one too.
            let powers = max(1, ((Self.logarithm(most) - start) / 2).rounded(.up))
            (low, middle, high) = (pow(10, start), pow(10, start + powers), pow(10, start + 2 * powers))
            return
        }
        // Halved, since the difference of two finite numbers may be infinite.
        var step = Self.roundStep(atLeast: most / 2 - least / 2)
        // A step can be too short if the least number is not a multiple of it.
        while (least / step).rounded(.down) + 2 < most / step, step.isFinite {
            step = Self.roundStep(atLeast: step * 1.1)
        }
        var start = (least / step).rounded(.down) * step
        if let range = number.range {
            start = min(max(start, range.lowerBound), max(range.lowerBound, range.upperBound - 2 * step))
        }
        let isRound = start.isFinite && (start + 2 * step).isFinite
        (low, middle, high) =
            isRound ? (start, start + step, start + 2 * step) : (least, least / 2 + most / 2, most)
    }

    /// Returns the height of a value in dots, from 0 for the lowest number to `top` for the highest.
    func height(of value: Double, top: Int) -> Int {
        isLogarithmic
            ? BrailleCanvas.height(
                of: Self.logarithm(value), from: Self.logarithm(low), to: Self.logarithm(high), top: top)
            : BrailleCanvas.height(of: value, from: low, to: high, top: top)
    }

    private static func logarithm(_ value: Double) -> Double { log10(max(leastRatio, value)) }

    /// Returns 1, 2 or 5 times a power of ten; 1 for no difference.
    private static func roundStep(atLeast difference: Double) -> Double {
        guard difference > 0 else { return 1 }
        let power = pow(10, log10(difference).rounded(.down))
        return [1, 2, 5].map { $0 * power }.first { $0 >= difference } ?? 10 * power
    }
}
