// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleSystem

/// The times of an entry on the command line, in the user's time zone.
enum ScheduleArgument {
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Parses a time of day, `7:30`, `07:30` or `07:30:15`, into its hour, minute and second.
    static func dayTime(_ argument: String) throws -> [Int] {
        guard let time = time(argument) else {
            throw ValidationError("it must be a time of day such as 7:30 or 19:05")
        }
        return time
    }

    /// Parses a point in time; without a date, the next such time, today or tomorrow.
    static func moment(_ argument: String) throws -> Timestamp {
        guard let moment = moment(argument, now: .now) else {
            throw ValidationError(
                "it must be a time (18:00), a date with a time (2026-12-24T18:00), 'today 18:00' or 'tomorrow 7:30'")
        }
        return moment
    }

    /// Parses an interval, `90s`, `5m`, `1h` or `1d`, into milliseconds.
    static func interval(_ argument: String) throws -> Int64 {
        guard let microseconds = StartTime.duration(argument[...]) else {
            throw ValidationError("it must be a whole number with a unit, such as 90s, 5m, 1h or 1d")
        }
        guard microseconds / 1_000 >= ScheduleEntry.shortestInterval else {
            throw ValidationError("it must be at least 1s")
        }
        return microseconds / 1_000
    }

    /// Parses a duration, `90s`, `10m`, `1h` or `1d`, into the time after it.
    static func delay(_ argument: String) throws -> Timestamp {
        guard let microseconds = StartTime.duration(argument[...]) else {
            throw ValidationError("it must be a whole number with a unit, such as 90s, 10m, 1h or 1d")
        }
        let (time, isTooLong) = Timestamp.now.microseconds.addingReportingOverflow(microseconds)
        guard !isTooLong, time <= ScheduleEntry.lastTime else { throw ValidationError("it must end by the year 9999") }
        return Timestamp(microseconds: time)
    }

    /// Parses days of the week: `mon`, `monday`, `mon,tue`, `weekdays` or `weekend`.
    static func weekdays(_ argument: String) throws -> Set<Weekday> {
        try Set(argument.lowercased().split(separator: ",", omittingEmptySubsequences: false).flatMap(days))
    }

    private static func days(_ word: Substring) throws -> [Weekday] {
        switch word {
        case "weekdays": return [.monday, .tuesday, .wednesday, .thursday, .friday]
        case "weekend": return [.saturday, .sunday]
        default:
            guard let index = weekdays.firstIndex(where: { $0 == word || $0.prefix(3) == word }),
                let day = Weekday(rawValue: index + 1)
            else {
                let hint = Suggestion.phrase(for: String(word), among: weekdays + ["weekdays", "weekend"])
                throw ValidationError(
                    "it must be mon, tue, wed, thu, fri, sat or sun, the whole name, weekdays or weekend, or several "
                        + "of them, joined by commas\(hint)")
            }
            return [day]
        }
    }

    private static func time(_ text: some StringProtocol) -> [Int]? {
        let text = text.utf8.count { $0 != UInt8(ascii: ":") } % 2 == 1 ? "0" + text : String(text)
        return StartTime.time(text[...])
    }

    private static func moment(_ text: String, now: Timestamp) -> Timestamp? {
        let words = text.split { $0 == " " || $0 == "T" }
        guard let last = words.last, let time = time(last), words.count <= 2 else { return nil }
        let today = LocalTime.parts(now)
        var tomorrow = today
        tomorrow.tm_mday += 1
        guard words.count == 2 else {
            let moment = LocalTime.first(today, time)
            return moment > now ? moment : LocalTime.first(tomorrow, time)
        }
        switch words[0] {
        case "today": return LocalTime.first(today, time)
        case "tomorrow": return LocalTime.first(tomorrow, time)
        default: return StartTime.date(words[0]).map { LocalTime.first($0, time) }
        }
    }
}

enum ZoneNames {
    private static let list = "tzdata.zi"
    /// The maximum size of the list, whose usual size is a hundred kilobytes.
    private static let limit = 1 << 20

    /// The names in a list with lines such as `Z Europe/Berlin …` and `L Europe/Berlin Europe/Oslo` (zic(8)); empty if
    /// the device has none.
    static var all: [String] {
        let directory = Environment["TZDIR"] ?? "/usr/share/zoneinfo"
        guard case .bytes(let bytes) = FileContents.read(directory + "/" + list, limit: limit) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 3)
            switch words.first {
            case "Z" where words.count > 1: return String(words[1])
            case "L" where words.count > 2: return String(words[2])
            default: return nil
            }
        }
    }
}
