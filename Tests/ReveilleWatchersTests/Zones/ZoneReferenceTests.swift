// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing

/// Every zone of this machine, and random rules, compared with Python's `zoneinfo`.
///
/// `reference.py` describes the lines. `REVEILLE_SEED=N` repeats a run.
@Suite(.timeLimit(.minutes(10))) struct ZoneReferenceTests {
    private static let database = "/usr/share/zoneinfo"
    private static let entries = 10_000
    /// How many days the reference searches for slots, less its margin.
    private static let patience = 9 * 366 - 4

    @Test(
        "B122 B123 B129 all zones have the offsets of zoneinfo, and random rules the slots of a naive search",
        .enabled(if: getenv("CI") != nil || access(database, F_OK) == 0, "the package tzdata is missing"))
    func zonesAndRulesEqualTheReference() throws {
        let seed = getenv("REVEILLE_SEED").flatMap { UInt32(String(cString: $0)) } ?? .random(in: 0 ... .max)
        print("zones: REVEILLE_SEED=\(seed)")
        var zones: [String: TimeZoneRules] = [:]
        var rules = 0
        for line in try Self.reference(seed: seed) {
            let words = line.split(separator: " ")
            let name = try #require(words.dropFirst().first.map(String.init))
            if zones[name] == nil { zones[name] = try Self.read(name) }
            let zone = try #require(zones[name])
            let problem =
                switch words[0] {
                case "zone": try Self.problem(zone, words.dropFirst(2))
                case "at": try Self.problem(zone, offsets: words.dropFirst(2))
                default: try Self.problem(zone, rule: words.dropFirst(2))
                }
            if words[0] == "rule" { rules += 1 }
            if let problem {
                Issue.record("seed \(seed): \(problem), expected: \(line)")
                return
            }
        }
        #expect(zones.count > 300 && rules == Self.entries)
    }

    private static func reference(seed: UInt32) throws -> [Substring] {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/reference"
        let script = #filePath.replacing("ZoneReferenceTests.swift", with: "reference.py")
        let python = try ChildProcess(["python3", script, output, "\(seed)", "\(entries)"])
        try #require(python.wait() == 0)
        guard case .bytes(let bytes) = FileContents.read(output, limit: 64 << 20) else { throw Missing(path: output) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private struct Missing: Error {
        let path: String
    }

    private static func read(_ name: String) throws -> TimeZoneRules {
        let path = "\(database)/\(name)"
        guard case .bytes(let bytes) = FileContents.read(path, limit: TimeZoneRules.sizeLimit) else {
            throw Missing(path: path)
        }
        return try TimeZoneRules(tzif: bytes)
    }

    /// Compares the offset at the start and all changes.
    private static func problem(_ zone: TimeZoneRules, _ words: ArraySlice<Substring>) throws -> String? {
        var time = -2_208_988_800
        guard let first = words.first, zone.offset(at: time) == Int(first) else { return "\(zone.offset(at: time))" }
        var offset = zone.offset(at: time)
        for word in words.dropFirst() {
            let (expected, next) = try pair(word)
            guard let transition = zone.transition(after: time), transition == expected else {
                return "the change after \(time) is at \(zone.transition(after: time) as Any), not \(expected)"
            }
            guard zone.offset(at: transition - 1) == offset, zone.offset(at: transition) == next,
                zone.offset(at: transition + 1) == next
            else { return "the offset after \(transition) is \(zone.offset(at: transition))" }
            (time, offset) = (transition, next)
        }
        let next = zone.transition(after: time) ?? .max
        return next <= 4_133_980_799 ? "there is another change at \(next)" : nil
    }

    private static func problem(_ zone: TimeZoneRules, offsets words: ArraySlice<Substring>) throws -> String? {
        for word in words {
            let (time, expected) = try pair(word)
            if zone.offset(at: time) != expected { return "the offset at \(time) is \(zone.offset(at: time))" }
        }
        return nil
    }

    private static func pair(_ word: Substring) throws -> (Int, Int) {
        let parts = word.split(separator: ":").compactMap { Int($0) }
        try #require(parts.count == 2)
        return (parts[0], parts[1])
    }

    /// Compares the slots of a rule, one after the other and by their number.
    private static func problem(_ zone: TimeZoneRules, rule words: ArraySlice<Substring>) throws -> String? {
        let words = Array(words)
        let start = try #require(Int(words[0]))
        let texts = words[1].split(separator: ",", omittingEmptySubsequences: false)
        let parts = texts.map { Int($0) }
        let weekdays = Set(texts[2].split(separator: "+").compactMap { Int($0).flatMap(Weekday.init) })
        let rule = CalendarRule(
            month: parts[0], day: parts[1], weekdays: weekdays.isEmpty ? nil : weekdays, hour: parts[3],
            minute: parts[4], second: parts[5])
        func timestamp(_ seconds: Int) -> Timestamp { Timestamp(microseconds: Int64(seconds) * 1_000_000) }
        var last = start
        for (index, word) in words.dropFirst(2).enumerated() {
            let slot = rule.next(after: timestamp(last), in: zone)
            guard let expected = Int(word) else {
                let end = timestamp(start + patience * 86_400)
                return (slot ?? end) < end ? "there is another slot, \(slot as Any)" : nil
            }
            guard slot == timestamp(expected) else { return "the slot after \(last) is \(slot as Any)" }
            let count = rule.count(after: timestamp(start), through: timestamp(expected), in: zone)
            let before = rule.count(after: timestamp(start), through: timestamp(expected - 1), in: zone)
            guard count == index + 1, before == index else { return "\(before) and \(count) slots through \(expected)" }
            last = expected
        }
        return nil
    }
}
