// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleFleetCore
import ReveilleSimulation

/// When a fleet returns to a broker that was away, computed with the schedule of the bridge.
package struct JitterModel {
    /// The times at which the devices return, in seconds since the broker did, in ascending order.
    package let returns: [Double]

    /// Computes the returns.
    ///
    /// - Parameters:
    ///   - count: The number of devices.
    ///   - outage: The time in seconds for which the broker is away.
    ///   - longest: The last limit of the pauses.
    package init(count: Int, outage: Double, longest: Duration = RetrySchedule.longest) {
        var random = SplitMix64(seed: UInt64(count))
        returns = (0..<count).map { _ in
            var schedule = RetrySchedule(isLocal: false, longest: longest)
            var time = 0.0
            repeat {
                time += schedule.next(fraction: Double.random(in: 0...1, using: &random)) / .seconds(1)
            } while time < outage
            return time - outage
        }.sorted()
    }

    /// Creates a model of returns that were measured.
    init(measured: [Double]) { returns = measured.sorted() }

    /// The time in seconds within which a part of the devices has returned.
    func time(of part: Double) -> Double {
        returns.isEmpty ? 0 : returns[min(returns.count - 1, Int(Double(returns.count) * part))]
    }

    /// The most devices that return within a second.
    package var peak: Int {
        var (most, start) = (0, 0)
        for (index, time) in returns.enumerated() {
            while returns[start] < time - 1 { start += 1 }
            most = max(most, index - start + 1)
        }
        return most
    }

    /// The columns of a table: median, 95 %, last, and the most in a second.
    var columns: [String] {
        [0.5, 0.95, 1].map { Table.rounded(time(of: $0)) + " s" } + [Table.grouped(peak)]
    }
}
