// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleCore

extension LocalTime {
    /// Returns the first moment when clocks show a time on a day; if they skip the time, the end of the gap.
    ///
    /// `mktime` returns the second moment of a repeated time, and adds the gap to a skipped time.
    static func first(_ day: tm, _ time: [Int]) -> Timestamp {
        var parts = day
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(time[2]))
        let wanted = Int64(timegm(&parts))
        let usual = StartTime.moment(day, time).microseconds / 1_000_000
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
}
