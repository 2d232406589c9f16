// SPDX-License-Identifier: Apache-2.0

package import Glibc
package import ReveilleCore
import ReveilleSystem

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

    /// Returns the moment of a time, in hours, minutes and seconds, on a day.
    package static func moment(_ day: tm, _ time: [Int]) -> Timestamp {
        var parts = day
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(time[2]))
        // The zone decides whether it was summer time.
        parts.tm_isdst = -1
        return Timestamp(microseconds: Int64(mktime(&parts)) * 1_000_000)
    }

    /// Returns the first moment when clocks show a time on a day; if they skip the time, the end of the gap.
    ///
    /// `mktime` returns the second moment of a repeated time, and adds the gap to a skipped time.
    package static func first(_ day: tm, _ time: [Int]) -> Timestamp {
        var parts = day
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(time[2]))
        let wanted = Int64(timegm(&parts))
        let usual = moment(day, time).microseconds / 1_000_000
        // Clocks are not set twice within two days.
        var (early, late) = (usual - 86_400, usual + 86_400)
        let first = wanted - (shown(at: early) - early)
        if shown(at: first) == wanted { return Timestamp(microseconds: first * 1_000_000) }
        if shown(at: usual) == wanted { return Timestamp(microseconds: usual * 1_000_000) }
        while early + 1 < late {
            let middle = (early + late) / 2
            if shown(at: middle) < wanted { early = middle } else { late = middle }
        }
        return Timestamp(microseconds: late * 1_000_000)
    }

    /// Returns the clocks' reading as the number of seconds since they showed 1970-01-01 00:00:00.
    private static func shown(at time: Int64) -> Int64 {
        var parts = parts(Timestamp(microseconds: time * 1_000_000))
        return Int64(timegm(&parts))
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
