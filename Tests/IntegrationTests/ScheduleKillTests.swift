// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The schedule of a real bus that is killed at any moment.
@Suite(.timeLimit(.minutes(10))) struct ScheduleKillTests {
    private static let name = "org.example.kill"

    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private func add(_ client: RawClient, _ entry: JSONObject) throws -> Reply {
        try client.call("org.reveille.Schedule.Add", "\(JSON.object(["entry": .object(entry)]))")
    }

    private func entries() throws -> [JSONObject] {
        try bus.client().call("org.reveille.Schedule.List").parameters.objects("entries")
    }

    @Test("B126: of a bus that is killed 200 times around its firings, each slot is delivered and counted once")
    func firingsSurvive() throws {
        var position = 0
        var instance = try bus.client().instance()
        var (added, counted) = (0, 0)
        let random = { Int64.random(in: 0...20_000) }
        for round in 0..<200 {
            let client = try bus.client()
            // A kill within 100 ms of the first readings would begin a new instance.
            try bus.waitUntilSaved()
            var last: Int64 = 0
            for number in 0..<3 {
                last = Clocks.wall() + 4_000 + random()
                let reply = try add(
                    client, ["id": .string("\(round)-\(number)"), "aspect": .string(Self.name), "at": .integer(last)])
                #expect(reply.error == nil)
                added += 1
            }
            let end = last - 12_000 + random()
            while Clocks.wall() < end {}
            bus.kill()
            try bus.restart()
            try wait(for: "the entries to be over") { try entries().isEmpty }
            let subscriber = try bus.subscribe(
                """
                {"aspects":["\(Self.name)"],"instance":"\(instance)","resume":[{"aspect":"\(Self.name)",\
                "generation":\(position)}]}
                """)
            #expect(subscriber.first["resumed"] == true, "round \(round)")
            for event in subscriber.initialEvents {
                counted += event.integer("changes")
                position = event.integer("generation")
            }
            instance = try bus.client().instance()
            #expect(counted == added, "round \(round)")
            guard counted == added else { return }
        }
        #expect(bus.stop() == 0)
        #expect(access(bus.directory.path + "/state/schedule", F_OK) != 0)
    }

    @Test("B118: an entry is delivered within milliseconds, never early") func isOnTime() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.kill"]}"#)
        let time = Clocks.wall() + 300_000
        #expect(
            try add(bus.client(), ["id": "a", "aspect": .string(Self.name), "at": .integer(time)]).error == nil)
        let event = try #require(try subscriber.next().first)
        #expect(event.integer("changedAt") >= Int(time))
        #expect(event.integer("changes") == 1)
    }

    @Test("without entries there is neither a file nor a timer, and with one there is one of each") func paysNothing()
        throws
    {
        let client = try bus.client()
        try client.fence()
        // The first call sets a timer, for which sd-event opens a descriptor and keeps it.
        #expect(try client.call("org.reveille.Schedule.Cancel", #"{"id":"a"}"#).error != nil)
        #expect(try add(client, ["id": "a", "aspect": .string(Self.name), "at": 0]).error == nil)
        try wait(for: "the entry to be over") { try entries().isEmpty }
        let timers = { try bus.descriptors().count { $0.contains("timerfd") } }
        let before = try timers()
        #expect(access(bus.directory.path + "/state/schedule", F_OK) != 0)
        #expect(try add(client, ["id": "a", "aspect": .string(Self.name), "every": 3_600_000]).error == nil)
        try wait(for: "the alarm") { try timers() == before + 1 }
        #expect(try bus.descriptors().contains { $0.hasSuffix("/state/schedule") })
        #expect(try client.call("org.reveille.Schedule.Cancel").error == nil)
        #expect(access(bus.directory.path + "/state/schedule", F_OK) != 0)
        try wait(for: "the alarm to end") { try timers() == before }
    }

    @Test("an entry on a read-only or full disk is refused with the reason in the log") func fullDisk() throws {
        let full = try BusProcess(environment: ["STATE_DIRECTORY": "/proc/self"])
        let entry: JSONObject = ["id": "a", "aspect": .string(Self.name), "every": 3_600_000]
        let reply = try full.client().call("org.reveille.Schedule.Add", "\(JSON.object(["entry": .object(entry)]))")
        #expect(reply.error == "org.reveille.Bus.QuotaExceeded")
        #expect(reply.parameters["quota"] == "storage")
        #expect(full.log.contains("the schedule cannot be saved: open /proc/self/schedule.new"))
    }

    @Test("the command adds, lists and removes entries, and names a wrong word") func command() throws {
        let added = try bus.run([
            "schedule", "add", "tea", Self.name, "--daily", "7:30", "--zone", "UTC", "--", "make", "tea",
        ])
        #expect(added.code == 0)
        #expect(added.output.hasPrefix("tea  next: in "))
        #expect(try bus.run(["schedule", "add", "water", Self.name, "--every", "90m"]).code == 0)
        let list = try bus.run(["schedule", "list"]).output.split(separator: "\n").map { String($0) }
        #expect(list.count == 3)
        #expect(list[1].contains("UTC"))
        #expect(list[1].hasSuffix("make tea"))
        let wrong = try bus.run(["schedule", "add", "x", Self.name, "--daily", "7:00", "--weekday", "mondy"])
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("did you mean monday?"))
        let missing = try bus.run(["schedule", "cancel", "te"])
        #expect(missing.code == 1)
        #expect(missing.errors.contains("there is no entry te; did you mean tea?"))
        #expect(try bus.run(["schedule", "cancel", "--all"]).output == "2 entries removed\n")
        #expect(try entries().isEmpty)
    }
}
