// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import Testing

@testable import ReveilleTool

@Suite struct StartTimeTests {
    /// 2026-11-21, in the middle of the day in most time zones.
    private static let now = Timestamp(microseconds: 1_795_262_400_000_000)

    private static func text(_ start: StartTime) -> String {
        LocalTime.date(start.timestamp) + " " + LocalTime.time(start.timestamp)
    }

    @Test(arguments: [("0s", 0), ("30s", 30), ("10m", 600), ("2h", 7_200), ("1d", 86_400), ("007d", 604_800)])
    func durationIsBeforeNow(text: String, seconds: Int64) {
        #expect(
            StartTime(text, now: Self.now)?.timestamp.microseconds == Self.now.microseconds - seconds * 1_000_000)
    }

    @Test(
        arguments: [
            ("2026-11-21", "2026-11-21 00:00:00"), ("2024-02-29", "2024-02-29 00:00:00"),
            ("2026-11-21 14:30", "2026-11-21 14:30:00"), ("2026-11-21 23:59:59", "2026-11-21 23:59:59"),
            ("2031-01-02 03:04:05", "2031-01-02 03:04:05"),
        ])
    func dateIsLocal(text: String, expected: String) throws {
        #expect(Self.text(try #require(StartTime(text, now: Self.now))) == expected)
    }

    @Test(arguments: ["00:00", "05:07", "14:30", "23:59", "12:00:01", "23:59:59"])
    func timeOfDayIsTheLatestOne(text: String) throws {
        let start = try #require(StartTime(text, now: Self.now))
        #expect(Self.text(start).dropFirst(11).hasPrefix(text))
        #expect(start.timestamp <= Self.now)
        // A day of a change to or from summer time has up to 25 hours.
        #expect(Self.now.microseconds - start.timestamp.microseconds < 25 * 3_600_000_000)
    }

    @Test(
        arguments: [
            "", " ", "m", "10", "-10m", "+10m", "1.5h", "10 m", "10w", "10mm", "9223372036854775807d",
            "999999999999999d",
            "١٠m", "24:00", "14:60", "14:30:60", "1:30", "14:3", "14", "14:", ":30", "14:30:00:00", "2026-13-01",
            "2026-00-10", "2026-02-29", "2026-04-31", "2026-11-00", "26-11-21", "2026-11", "2026/11/21",
            "2026-11-21 ", " 2026-11-21", "2026-11-21  14:30", "2026-11-21 10m", "2026-11-21T14:30", "14:30 2026-11-21",
            "2026-11-21 14:30 14:30", "now", "yesterday",
        ])
    func otherTextIsRefused(text: String) {
        #expect(StartTime(text, now: Self.now) == nil)
    }
}
