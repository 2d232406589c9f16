// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10))) struct ScheduleKillTests {
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

    @Test("B126: of a bus that is killed 50 times around its firings, each slot is delivered and counted once")
    func firingsSurvive() throws {
        var position = 0
        var instance = try bus.client().instance()
        var (added, counted) = (0, 0)
        let random = { Int64.random(in: 0...20_000) }
        for round in 0..<50 {
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

    @Test("without entries there is no file and no timer, and the first entry adds one of each") func paysNothing()
        throws
    {
        let client = try bus.client()
        try client.fence()
        // The first call sets a timer.
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

    @Test("a firing that cannot be saved on a full disk waits until there is room, and then fires once")
    func fullDiskWhileFiring() throws {
        // A limit on the size of files is like a full disk, except for the name of the error.
        let full = try BusProcess(
            launcher: ["sh", "-c", "trap '' XFSZ; ulimit -S -f 64; exec \"$@\"", "sh"])
        let client = try full.client()
        func add(_ id: String, _ time: Int64, length: Int) throws -> Reply {
            let value = String(repeating: "a", count: length)
            let entry: JSONObject = [
                "id": .string(id), "aspect": .string(Self.name), "at": .integer(time), "value": ["a": .string(value)],
            ]
            return try client.call("org.reveille.Schedule.Add", "\(JSON.object(["entry": .object(entry)]))")
        }
        #expect(try add("due", Clocks.wall() + 3_000_000, length: 4_000).error == nil)
        let far = Clocks.wall() + 3_600_000_000
        var count = 0
        // In the end, no record of a short value fits, and none of a firing, which is longer.
        for length in [4_000, 0] {
            while try add("\(count)", far, length: length).error == nil, count < 100 { count += 1 }
        }
        #expect((1..<100).contains(count))
        try wait(for: "the firing to fail") {
            full.log.split(separator: "\n").contains { $0.contains("the schedule: write") && $0.contains("EFBIG") }
        }
        let subscriber = try full.subscribe(#"{"aspects":["\#(Self.name)"]}"#)
        #expect(try full.shell("prlimit --pid \(full.process.pid) --fsize=unlimited").code == 0)
        // Within ten seconds.
        #expect(try subscriber.next(seconds: 60).map { $0.integer("changes") } == [1])
        #expect(try client.call("org.reveille.Schedule.List").parameters.objects("entries").count == count)
    }
}
