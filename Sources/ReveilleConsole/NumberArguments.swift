// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser

/// Durations in seconds on the command line.
package enum Seconds {
    /// From the resolution of a timer to a year, which is long enough to mean "never".
    private static let range = 0.001...31_536_000

    /// Parses a duration, which can be out of range; see ``validate(_:of:)``.
    ///
    /// - Throws: `ValidationError` if the text is not a number.
    package static func parse(_ argument: String) throws -> Double {
        guard let seconds = Double(argument) else { throw ValidationError("it must be a number of seconds") }
        return seconds
    }

    /// Checks that the value of an option is from 0.001 to a year.
    ///
    /// - Throws: `ValidationError` otherwise.
    package static func validate(_ seconds: Double, of option: String) throws {
        guard range.contains(seconds) else {
            throw ValidationError("\(option) must be from 0.001 to 31536000 seconds, not \(number(seconds))")
        }
    }

    /// Returns a number of seconds with its unit: `1 second`, `0.5 seconds`.
    package static func text(_ seconds: Double) -> String {
        number(seconds) + (seconds == 1 ? " second" : " seconds")
    }

    /// Returns a number of seconds without a fraction if it has none.
    package static func number(_ seconds: Double) -> String {
        Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }
}

/// Numbers of events, changes and runs on the command line.
package enum Count {
    /// Parses a number, which can be out of range; see ``validate(_:of:)``.
    ///
    /// - Throws: `ValidationError` if the text is not a whole number.
    package static func parse(_ argument: String) throws -> Int {
        guard let count = Int(argument) else { throw ValidationError("it must be a whole number of at least 1") }
        return count
    }

    /// Checks that the value of an option is at least 1.
    ///
    /// - Throws: `ValidationError` otherwise.
    package static func validate(_ count: Int, of option: String) throws {
        guard count >= 1 else { throw ValidationError("\(option) must be at least 1, not \(count)") }
    }
}
