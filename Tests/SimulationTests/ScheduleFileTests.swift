// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing

@testable import ReveilleService

/// The limits of the file of the schedule.
@Suite(.timeLimit(.minutes(10))) struct ScheduleFileTests {
    @Test("a file that is nearly full takes firings, and no more entries") func reserve() throws {
        let directory = try TemporaryDirectory(inMemory: "reveille-file")
        let file = ScheduleFile(path: directory.path + "/schedule")
        // Long values, of which few are needed.
        let size = 8 << 20
        let value = PublishedValue(
            "org.example.a", bytes: Array(#"{"a":"\#(String(repeating: "a", count: size))"}"#.utf8))
        func item(_ id: Int) throws -> Schedule.Item {
            let entry = try ScheduleEntry(
                id: "\(id)", aspect: "org.example.a", value: value.bytes, every: 1_000, launch: ["a"])
            return Schedule.Item(user: 1, entry: entry, addedAt: 1)
        }
        try file.replace(with: [])
        var count = 0
        var code: Int32 = 0
        while code == 0, count < 100 {
            let record = ScheduleRecord.added(try item(count))
            do {
                try file.append([record], isDurable: true)
                count += 1
            } catch {
                code = error.code
            }
        }
        #expect(code == EFBIG)
        #expect(count == (ScheduleFile.limit - ScheduleFile.reserve) / size)
        #expect(file.takesFirings)
        let firing = Firing(
            instance: "one", number: 1, value: value, user: 1, times: 1, before: 1, sequence: 2,
            time: Timestamp(microseconds: 1))
        let passed = ScheduleRecord.passed([
            .init(user: 1, id: "0", after: 1, fired: 1, isLast: false, firing: firing, isLaunching: true)
        ])
        // What launches wait for has the value.
        let launching = ScheduleRecord.launching(
            .init(command: ["a"], starts: 0, instance: "one", waiting: LaunchQueue.Waiting(firing)))
        try file.append([passed, launching], isDurable: false)
        #expect(!file.takesFirings)
        try file.append([.settled(["a"], "org.example.a")], isDurable: false)
        #expect(throws: (any Error).self) { try file.append([.removed(["0"], user: 1)], isDurable: true) }
    }
}
