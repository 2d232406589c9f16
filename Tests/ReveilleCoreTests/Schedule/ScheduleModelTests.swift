// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

/// The schedule against a naive list of slots.
struct ScheduleModelTests {
    private static let minute: Int64 = 60_000_000

    /// An entry, and all its slots as a list.
    private struct Naive {
        var item: Schedule.Item
        var slots: [Int64]
        var over: Int64
    }

    @Test(
        "B124, B125, B127: random entries fire as often as a list of their slots, whatever the clock does",
        arguments: 0..<200)
    func model(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var schedule = Schedule()
        schedule.set(.utc, for: "UTC", at: 0)
        var now: Int64 = 1_000 * Self.minute
        var naive: [String: Naive] = [:]
        for step in 0..<120 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let entry = try Self.entry(&random, now: now)
                let item = Schedule.Item(user: 1, entry: entry, addedAt: now)
                schedule.add(item)
                naive[entry.id] = Naive(item: item, slots: Self.slots(of: entry, addedAt: now), over: item.after)
            case 2:
                let id = "\(Int.random(in: 0..<8, using: &random))"
                #expect((schedule.remove(id, of: 1) != nil) == (naive.removeValue(forKey: id) != nil))
            case 3: now += Int64.random(in: -30 * Self.minute...300 * Self.minute, using: &random)
            default: now += Int64.random(in: 0...20 * Self.minute, using: &random)
            }
            let awakeSince = Bool.random(using: &random) ? now : 0
            var fired: [String: Int] = [:]
            while let due = schedule.takeDue(at: now, awakeSince: awakeSince) { fired[due.item.entry.id] = due.firings }
            for (id, entry) in naive {
                let passed = entry.slots.filter { $0 > entry.over && $0 <= now }
                let kept = passed.filter { Self.fires($0, entry.item, awakeSince: awakeSince) }
                #expect(fired[id] == (passed.isEmpty ? nil : kept.count), "entry \(id) in step \(step) of seed \(seed)")
                if !passed.isEmpty { naive[id]?.over = now }
                let next = entry.slots.first { $0 > max(entry.over, passed.isEmpty ? entry.over : now) }
                if next == nil, !passed.isEmpty { naive[id] = nil }
                #expect(schedule.item(id, of: 1)?.next == next)
            }
            #expect(schedule.next == naive.values.compactMap { entry in entry.slots.first { $0 > entry.over } }.min())
            #expect(schedule.count(of: 1) == naive.count)
        }
    }

    private static func entry(_ random: inout SplitMix64, now: Int64) throws -> ScheduleEntry {
        let kind = Int.random(in: 0..<3, using: &random)
        let at = now + Int64.random(in: -60 * minute...200 * minute, using: &random)
        let hasStart = kind == 0 || Bool.random(using: &random)
        let until = Bool.random(using: &random) ? now + Int64.random(in: -minute...500 * minute, using: &random) : nil
        let grace = Bool.random(using: &random) ? Int64.random(in: 0...6_000_000, using: &random) : nil
        return try ScheduleEntry(
            id: "\(Int.random(in: 0..<8, using: &random))", aspect: "org.example.a", at: hasStart ? at : nil,
            every: kind == 1 ? Int64.random(in: 1...90, using: &random) * 60_000 : nil,
            calendar: kind == 2 ? CalendarRule(minute: Int.random(in: 0..<60, using: &random)) : nil,
            zone: kind == 2 ? "UTC" : nil, until: until, ifMissed: Bool.random(using: &random) ? .skip : nil,
            grace: grace)
    }

    private static func slots(of entry: ScheduleEntry, addedAt now: Int64) -> [Int64] {
        let end = min(entry.until ?? .max, 60_000 * minute)
        var slots: [Int64] = []
        if let every = entry.every {
            slots = Array(stride(from: entry.at ?? now + every * 1_000, through: end, by: Int64.Stride(every * 1_000)))
        } else if let part = entry.calendar?.minute {
            slots = Array(stride(from: Int64(part) * minute, through: end, by: Int64.Stride(60 * minute)))
                .filter { $0 >= entry.at ?? 0 }
        } else if let at = entry.at, at <= end {
            return [at]
        }
        return slots.filter { $0 >= now }
    }

    private static func fires(_ slot: Int64, _ item: Schedule.Item, awakeSince: Int64) -> Bool {
        let entry = item.entry
        if entry.every == nil, entry.calendar == nil, slot <= item.added { return true }
        guard slot < awakeSince - Schedule.tolerance else { return true }
        if entry.ifMissed == .skip { return false }
        return entry.grace.map { awakeSince - slot <= $0 * 1_000 } ?? true
    }

    @Test("adding, firing and a new zone need no more than the entries concerned") func manyEntries() throws {
        var schedule = Schedule()
        schedule.set(.utc, for: "local", at: 0)
        for number in 0..<10_000 {
            let entry = try ScheduleEntry(
                id: "\(number)", aspect: "org.example.a",
                calendar: CalendarRule(hour: number % 24, minute: number % 60, second: number % 59))
            schedule.add(Schedule.Item(user: UInt32(number % 10), entry: entry, addedAt: 0))
        }
        #expect(schedule.count(of: 3) == 1_000)
        schedule.set(.utc, for: "local", at: 86_400_000_000)
        var last: Int64 = 0
        var count = 0
        while let next = schedule.next, count < 30_000 {
            #expect(next >= last)
            last = next
            while schedule.takeDue(at: next, awakeSince: 0) != nil { count += 1 }
        }
        #expect(count >= 30_000)
    }

    @Test("entries with an unknown zone wait for it, and then fire for the slots that have passed")
    func unknownZone() throws {
        var schedule = Schedule()
        let entry = try ScheduleEntry(
            id: "a", aspect: "org.example.a", calendar: CalendarRule(minute: 0), zone: "Europe/Berlin")
        #expect(schedule.add(Schedule.Item(user: 1, entry: entry, addedAt: 1)).next == nil)
        #expect(schedule.takeDue(at: 1 << 50, awakeSince: 0) == nil)
        schedule.set(.utc, for: "Europe/Berlin", at: 3 * 60 * Self.minute)
        #expect(schedule.takeDue(at: 3 * 60 * Self.minute, awakeSince: 0)?.firings == 3)
    }
}
