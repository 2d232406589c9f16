// SPDX-License-Identifier: Apache-2.0

/// The ticks of a time axis in seconds.
enum TimelineAxis {
    /// The largest number of ticks whose texts have room beside each other.
    private static let mostTicks = 10.0

    /// Returns the distance of ticks: 1, 2 or 5 times a power of ten.
    static func step(for end: Double) -> Double {
        var step = 0.001
        while true {
            for factor in [1.0, 2, 5] where end / (step * factor) <= mostTicks { return step * factor }
            step *= 10
        }
    }

    static func ticks(to end: Double, step: Double) -> [Double] {
        (0...Int(mostTicks)).map { Double($0) * step }.filter { $0 <= end * (1 + 1e-9) }
    }

    /// Returns a number of seconds without superfluous decimals.
    static func text(_ seconds: Double) -> String {
        let thousandths = (seconds * 1_000).rounded() / 1_000
        return thousandths == thousandths.rounded() ? "\(Int(thousandths))" : "\(thousandths)"
    }
}
