// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleCore

struct PeriodOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: """
            Only changes since a time (14:30, 2026-11-21 or '2026-11-21 14:30') or within a duration (30s, 10m, 2h, 1d).
            """,
        transform: StartTime.init(argument:))
    var since: StartTime?

    func includes(_ time: Timestamp) -> Bool {
        since.map { time >= $0.timestamp } ?? true
    }
}

/// The start of a period on the command line: a duration before now, or a local time, date or both.
struct StartTime {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    let timestamp: Timestamp

    init(argument: String) throws {
        guard let time = Self(argument, now: .now) else {
            throw ValidationError(
                "it must be a duration (30s, 10m, 2h, 1d), a time (14:30), a date (2026-11-21) or both (2026-11-21 14:30)"
            )
        }
        self = time
    }

    /// Parses a start; `nil` if it has no valid form, or names a day or time that does not exist.
    init?(_ text: String, now: Timestamp) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.count == 1, let microseconds = Self.duration(words[0]) {
            let (start, isTooLong) = now.microseconds.subtractingReportingOverflow(microseconds)
            guard !isTooLong else { return nil }
            timestamp = Timestamp(microseconds: start)
        } else if words.count == 1, let time = Self.time(words[0]) {
            let today = LocalTime.parts(now)
            let start = LocalTime.moment(today, time)
            var yesterday = today
            yesterday.tm_mday -= 1
            timestamp = start <= now ? start : LocalTime.moment(yesterday, time)
        } else if let date = Self.date(words[0]), words.count <= 2,
            let time = words.count == 1 ? [0, 0, 0] : Self.time(words[1])
        {
            timestamp = LocalTime.moment(date, time)
        } else {
            return nil
        }
    }

    /// Returns a duration such as `10m` in microseconds.
    static func duration(_ text: Substring) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }), let count = number(text.dropLast(), digits: 1...15)
        else { return nil }
        let (duration, isTooLong) = Int64(count).multipliedReportingOverflow(by: unit * 1_000_000)
        return isTooLong ? nil : duration
    }

    /// Returns the hours, minutes and seconds of a time such as `14:30` or `14:30:05`.
    static func time(_ text: Substring) -> [Int]? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
        guard 2...3 ~= parts.count, let hour = parts[0], let minute = parts[1],
            let second = parts.count == 2 ? 0 : parts[2], hour < 24, minute < 60, second < 60
        else { return nil }
        return [hour, minute, second]
    }

    static func date(_ text: Substring) -> tm? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(parts[0], digits: 4...4), let month = number(parts[1], digits: 2...2),
            let day = number(parts[2], digits: 2...2)
        else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (Int32(year) - 1_900, Int32(month) - 1, Int32(day))
        // `timegm` turns a day that the month does not have into a day of the next month.
        var normalized = date
        timegm(&normalized)
        return normalized.tm_mon == date.tm_mon && normalized.tm_mday == date.tm_mday ? date : nil
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && digits ~= text.utf8.count
            ? Int(text) : nil
    }
}
