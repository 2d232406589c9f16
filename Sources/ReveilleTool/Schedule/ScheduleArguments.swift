// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleConsole
import ReveilleCore

/// A time of day on the command line: `7:30`, `07:30` or `07:30:15`.
struct DayTimeArgument {
    let hour: Int
    let minute: Int
    let second: Int

    init(argument: String) throws {
        guard let time = Self(argument) else {
            throw ValidationError("it must be a time of day such as 7:30 or 19:05")
        }
        self = time
    }

    init?(_ text: some StringProtocol) {
        let text = text.utf8.count { $0 != UInt8(ascii: ":") } % 2 == 1 ? "0" + text : String(text)
        guard let parts = StartTime.time(text[...]) else { return nil }
        (hour, minute, second) = (parts[0], parts[1], parts[2])
    }
}

/// A point in time on the command line, in the user's time zone.
struct MomentArgument {
    let timestamp: Timestamp

    init(argument: String) throws {
        guard let moment = Self(argument, now: .now) else {
            throw ValidationError(
                "it must be a time (18:00), a date with a time (2026-12-24T18:00), 'today 18:00' or 'tomorrow 7:30'")
        }
        self = moment
    }

    /// Parses a time.
    ///
    /// Without a date, it is the next such time, today or tomorrow.
    init?(_ text: String, now: Timestamp) {
        let words = text.split { $0 == " " || $0 == "T" }
        guard let last = words.last, let time = DayTimeArgument(last), words.count <= 2 else { return nil }
        let parts = [time.hour, time.minute, time.second]
        var day = LocalTime.parts(now)
        if words.count == 1 {
            let today = LocalTime.first(day, parts)
            day.tm_mday += 1
            timestamp = today > now ? today : LocalTime.first(day, parts)
        } else if words[0] == "tomorrow" {
            day.tm_mday += 1
            timestamp = LocalTime.first(day, parts)
        } else if words[0] == "today" {
            timestamp = LocalTime.first(day, parts)
        } else if let date = StartTime.date(words[0]) {
            timestamp = LocalTime.first(date, parts)
        } else {
            return nil
        }
    }
}

/// An interval on the command line: `90s`, `5m`, `1h` or `1d`.
struct IntervalArgument {
    let milliseconds: Int64

    init(argument: String) throws {
        guard let microseconds = StartTime.duration(argument[...]) else {
            throw ValidationError("it must be a whole number with a unit, such as 90s, 5m, 1h or 1d")
        }
        milliseconds = microseconds / 1_000
        guard milliseconds >= ScheduleEntry.shortestInterval else {
            throw ValidationError("it must be at least 1s")
        }
    }
}

/// A day of the week on the command line: `mon` or `monday`.
struct WeekdayArgument {
    private static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The number of the day; 1 is Monday.
    let number: Int

    init(argument: String) throws {
        let word = argument.lowercased()
        guard let index = Self.names.firstIndex(where: { $0 == word || $0.prefix(3) == word }) else {
            let hint = Suggestion.phrase(for: word, among: Self.names)
            throw ValidationError(
                "it must be mon, tue, wed, thu, fri, sat or sun, or the whole name\(hint)")
        }
        number = index + 1
    }
}
