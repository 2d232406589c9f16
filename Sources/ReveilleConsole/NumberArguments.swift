// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Durations in seconds on the command line.
package enum Seconds {
    /// From the resolution of a timer to a year, which is long enough to mean "never".
    private static let range = 0.001...31_536_000

    /// Parses a duration from 0.001 seconds to a year.
    package static func parse(_ argument: String) throws -> Double { try parse(argument, in: range) }

    package static func parse(_ argument: String, in range: ClosedRange<Double>) throws -> Double {
        guard let seconds = Double(argument), range.contains(seconds) else {
            let (least, most) = (number(range.lowerBound), number(range.upperBound))
            throw ValidationError("it must be a number of seconds from \(least) to \(most)")
        }
        return seconds
    }

    /// Returns a number of seconds with its unit: `1 second`, `0.5 seconds`.
    package static func text(_ seconds: Double) -> String {
        number(seconds) + (seconds == 1 ? " second" : " seconds")
    }

    private static func number(_ seconds: Double) -> String {
        Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }
}

package enum Count {
    /// Returns a number with its noun: `1 subscription`, `12 subscriptions`.
    package static func text(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    package static func parse(_ argument: String) throws -> Int {
        guard let count = Int(argument), count >= 1 else {
            throw ValidationError("it must be a whole number of at least 1")
        }
        return count
    }
}
