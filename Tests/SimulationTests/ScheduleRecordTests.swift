// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

@testable import ReveilleService

/// Records of other releases, and records that no bus writes.
@Suite(.timeLimit(.minutes(10))) struct ScheduleRecordTests {
    /// The highest number that a file can contain.
    private static let most = Int(StateCoding.counterLimit) - 1

    private func launching(_ command: String, times: Int, before: Int, through: Int) throws -> ScheduleRecord {
        let value = PublishedValue(try #require(Aspect("org.example.\(command)")), bytes: Array("{}".utf8))
        return .launching(
            .init(
                command: [command], starts: 0, instance: "another",
                waiting: .init(value: value, user: 1_000, times: times, before: before, through: through)))
    }

    private func decode(_ record: ScheduleRecord, _ change: (inout JSONObject) -> Void) throws -> ScheduleRecord? {
        let text = try #require(record.line.dropLast().split(separator: UInt8(ascii: " "), maxSplits: 1).last)
        var object = try #require(try JSON.parse(Array(text)).objectValue)
        change(&object)
        let bytes = JSON.object(object).bytes
        let line = Array(String(Digest(of: bytes).value, radix: 16).utf8) + [UInt8(ascii: " ")] + bytes
        return try ScheduleRecord(line: line[...]) { _, _ in
            PublishedValue("org.example.a", bytes: Array("{}".utf8))
        }
    }

    @Test("a program to start that an earlier release has saved, without the last generation, is read")
    func earlierRelease() throws {
        let record = try launching("a", times: 2, before: 3, through: 5)
        #expect(try decode(record) { $0["through"] = nil } == record)
        #expect(throws: StateError.self) { try decode(record) { $0["through"] = "5" } }
        #expect(throws: StateError.self) {
            try decode(record) {
                $0["through"] = nil
                $0["before"] = .integer(Int64(Self.most))
            }
        }
    }

    @Test("an entry whose value is nested deeper than this version allows is read, and keeps all but the value")
    func deepValue() throws {
        let deep = (0..<PublishedValue.depthLimit).reduce([:] as JSONObject) { inner, _ in ["a": .object(inner)] }
        let value = PublishedValue("org.example.a", deep).bytes
        var item = Schedule.Item(
            user: 1, entry: try ScheduleEntry(id: "a", aspect: "org.example.a", value: value, every: 1_000), addedAt: 5)
        var saved = SavedSchedule()
        saved.apply(try #require(try decode(.added(item)) { _ in }))
        let waiting = LaunchQueue.Waiting(
            value: PublishedValue("org.example.a", deep), user: 1, times: 1, before: 0, through: 1)
        saved.apply(.launching(.init(command: ["a"], starts: 0, instance: "another", waiting: waiting)))
        #expect(saved.items == [item])
        #expect(saved.removeDeepValues() == [item])
        item.entry.value = nil
        #expect(saved.items == [item])
        #expect(saved.launches.map(\.waiting.value.json) == ["{}"])
    }

    @Test("the state before a clock was set back is saved") func formerState() throws {
        var item = Schedule.Item(
            user: 1, entry: try ScheduleEntry(id: "a", aspect: "org.example.a", every: 1_000), addedAt: 5)
        item.former = Schedule.Former(added: 7, after: 9)
        #expect(try decode(.added(item)) { _ in } == .added(item))
    }

    @Test("a firing that an earlier release has saved, with its value, is read") func firingWithValue() throws {
        let value = PublishedValue("org.example.b", bytes: Array(#"{"a":1}"#.utf8))
        let firing = Firing(
            instance: "one", number: 1, value: value, user: 1, times: 1, before: 1, sequence: 2,
            time: Timestamp(microseconds: 1))
        let record = ScheduleRecord.passed([
            .init(user: 1, id: "a", after: 1, fired: 1, isLast: false, firing: firing, isLaunching: false)
        ])
        let read = try decode(record) { object in
            guard var passed = object["passed"]?.arrayValue?.first?.objectValue,
                var fields = passed["firing"]?.objectValue
            else { return }
            fields["aspect"] = "org.example.b"
            fields["value"] = ["a": 1]
            passed["firing"] = .object(fields)
            object["passed"] = [.object(passed)]
        }
        #expect(read == record)
    }

    @Test("a firing with more slots than there are seconds is damaged") func tooManySlots() throws {
        let value = PublishedValue("org.example.a", bytes: Array("{}".utf8))
        func passed(_ times: Int) -> ScheduleRecord {
            let firing = Firing(
                instance: "one", number: 1, value: value, user: 1, times: times, before: 1, sequence: 2,
                time: Timestamp(microseconds: 1))
            return .passed([
                .init(user: 1, id: "a", after: 1, fired: 1, isLast: false, firing: firing, isLaunching: true)
            ])
        }
        #expect(try decode(passed(Firing.most)) { _ in } == passed(Firing.most))
        #expect(throws: StateError.self) { try decode(passed(Firing.most + 1)) { _ in } }
    }

    private func write(_ records: [ScheduleRecord], to file: ScheduleFile) {
        file.replace(with: records)
        #expect(file.facts.isOpen)
    }

    @Test("firings with the highest numbers in a file start their programs")
    func highestNumbers() throws {
        let directory = try TemporaryDirectory()
        let records = try ["a", "b", "c"].map { try launching($0, times: Self.most - 1, before: 0, through: Self.most) }
        write(records, to: ScheduleFile(path: directory.path + "/state/schedule"))
        let scene = try ScheduleScene(in: directory)
        scene.scene.pass(.seconds(10))
        #expect(scene.launcher.launches.map { $0.command[0] }.sorted() == ["a", "b", "c"])
    }

    @Test("firings whose numbers are the highest of a file can be added up") func sumOfHighestNumbers() {
        let value = PublishedValue("org.example.a", bytes: Array("{}".utf8))
        let most = LaunchQueue.Waiting(value: value, user: 1, times: Self.most, before: 0, through: Self.most)
        var waiting = most
        for _ in 0..<3 { waiting.add(most) }
        #expect(waiting.times == 2 * Firing.most)
    }

    @Test("a file that is nearly full takes firings, and no more entries") func reserve() throws {
        let directory = try TemporaryDirectory(inMemory: "reveille-file")
        let file = ScheduleFile(path: directory.path + "/schedule")
        // Long values, so that a few are enough.
        let size = 8 << 20
        let value = PublishedValue(
            "org.example.a", bytes: Array(#"{"a":"\#(String(repeating: "a", count: size))"}"#.utf8))
        func item(_ id: Int) throws -> Schedule.Item {
            let entry = try ScheduleEntry(
                id: "\(id)", aspect: "org.example.a", value: value.bytes, every: 1_000, launch: ["a"])
            return Schedule.Item(user: 1, entry: entry, addedAt: 1)
        }
        write([], to: file)
        var count = 0
        var code: Int32 = 0
        while code == 0, count < 100 {
            let record = ScheduleRecord.added(try item(count))
            do {
                try file.append([record], areChanges: true)
                count += 1
            } catch {
                code = error.code
            }
        }
        #expect(code == EFBIG)
        #expect(count == (ScheduleFile.limit - ScheduleFile.reserve) / size)
        #expect(file.facts.takesFirings)
        let firing = Firing(
            instance: "one", number: 1, value: value, user: 1, times: 1, before: 1, sequence: 2,
            time: Timestamp(microseconds: 1))
        let passed = ScheduleRecord.passed([
            .init(user: 1, id: "0", after: 1, fired: 1, isLast: false, firing: firing, isLaunching: true)
        ])
        // What launches wait for has the value.
        let launching = ScheduleRecord.launching(
            .init(command: ["a"], starts: 0, instance: "one", waiting: LaunchQueue.Waiting(firing)))
        try file.append([passed, launching], areChanges: false)
        #expect(!file.facts.takesFirings)
        try file.append([.settled(["a"], "org.example.a")], areChanges: false)
        #expect(throws: (any Error).self) { try file.append([.removed(["0"], user: 1)], areChanges: true) }
    }
}
