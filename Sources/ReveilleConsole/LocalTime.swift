// SPDX-License-Identifier: Apache-2.0

package import Glibc
package import ReveilleCore

/// Timestamps in the user's time zone.
package enum LocalTime {
    /// Returns the time of day: `14:03:22`.
    package static func time(_ timestamp: Timestamp) -> String {
        let parts = parts(timestamp)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
    }

    /// Returns the date: `2026-11-21`.
    package static func date(_ timestamp: Timestamp) -> String {
        let parts = parts(timestamp)
        return "\(Int(parts.tm_year) + 1_900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
    }

    package static func parts(_ timestamp: Timestamp) -> tm {
        var seconds = time_t(timestamp.microseconds / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
