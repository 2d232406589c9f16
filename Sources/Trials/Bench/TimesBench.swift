// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Varlink

/// Measures the schedule: changes of a long schedule, waiting, and the lateness of firings.
struct TimesBench {
    private static let entries = 10_000
    private static let firings = 200
    /// The time between two firings in microseconds.
    private static let step: Int64 = 20_000
    private static let name: Aspect = "org.example.time"

    func run() throws {
        try measureSchedule()
        try measureService()
    }

    private func measureSchedule() throws {
        var schedule = Schedule()
        let now = Clocks.wall()
        let locations = ["Europe/Berlin", "America/New_York"]
        let zones = try locations.map { zone -> TimeZoneRules in
            guard case .bytes(let bytes) = FileContents.read("/usr/share/zoneinfo/" + zone, limit: 1 << 20) else {
                throw BenchError("time zone \(zone) cannot be read")
            }
            return try TimeZoneRules(tzif: bytes)
        }
        schedule.set(zones[0], for: ScheduleEntry.localZone, at: now)
        let items = try (0..<2 * Self.entries).map { number in
            let rule = CalendarRule(
                weekdays: number % 3 == 0 ? Weekday(rawValue: number % 7 + 1).map { [$0] } : nil, hour: number % 24,
                minute: number % 60, second: number % 59)
            return Schedule.Item(
                user: 1, entry: try ScheduleEntry(id: "\(number)", aspect: Self.name, calendar: rule), addedAt: now)
        }
        for item in items.prefix(Self.entries) { schedule.add(item) }
        let extra = items.suffix(1_000)
        let added = Clocks.seconds { for item in extra { schedule.add(item) } } * 1e6 / Double(extra.count)
        for item in extra { schedule.remove(item.entry.id, of: 1) }
        let zone = Clocks.seconds { schedule.set(zones[1], for: ScheduleEntry.localZone, at: now) } * 1e3
        print("\(Self.entries) entries on the calendar")
        report("adding one, without the disk", "\(added.rounded(to: 2)) microseconds (limit 10)")
        report("a new zone", "\(zone.rounded(to: 2)) milliseconds (limit 50)")
        guard added < 10, zone < 50 else { throw BenchError("the schedule is too slow") }
    }

    private func measureService() throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus(configuration: "{ schedule: { entries: 65536 } }")
        let client = try bus.client()
        try add(Self.entries, to: client) { ["every": .integer(Int64(86_400_000 + $0)), "aspect": "org.example.far"] }
        // The state that the calls have changed is saved within 100 ms.
        poll(nil, 0, 1_000)
        let before = bus.usage.wakeups
        poll(nil, 0, 5_000)
        report("wake-ups in 5 seconds", "\(bus.usage.wakeups - before)")

        let subscriber = try bus.client()
        try subscriber.subscribe(to: AspectSet(Self.name))
        let first = Clocks.wall() + 3_000_000
        try add(Self.firings, to: client) {
            [
                "at": .integer(first + Int64($0) * Self.step), "aspect": .string(Self.name.name),
                "value": ["n": .integer(Int64($0))],
            ]
        }
        guard Clocks.wall() < first else { throw BenchError("adding \(Self.firings) entries took 3 seconds") }
        var lateness = Samples()
        var received = 0
        while received < Self.firings {
            let events = try subscriber.receive(expecting: [Event].self)
            let now = Clocks.wall()
            // On a busy machine, several firings can be one event.
            for _ in 0..<events.reduce(0, { $0 + $1.changeCount }) {
                let late = now - (first + Int64(received) * Self.step)
                guard late >= 0 else { throw BenchError("firing \(received) was early by \(-late) microseconds") }
                lateness.add(late)
                received += 1
            }
        }
        report("lateness of \(Self.firings) firings", lateness.summary)
        guard lateness.percentile(0.5) < 1_000 else {
            throw BenchError("half of the firings are late by a millisecond")
        }
    }

    private func add(_ count: Int, to client: BlockingClient, _ fields: (Int) -> JSONObject) throws {
        let seconds = try Clocks.seconds {
            for number in 0..<count {
                var entry = fields(number)
                entry["id"] = .string("\(count)-\(number)")
                try client.send(Call(AddEntry(try ScheduleEntry(structure: entry))))
                let reply = try client.receive()
                if let error = reply.error { throw BenchError("Add: \(error) \(reply.parameters)") }
            }
        }
        let each = (seconds * 1e6 / Double(count)).rounded(to: 0)
        report("\(count) calls of Add, each saved", "\(each) microseconds each")
    }
}
