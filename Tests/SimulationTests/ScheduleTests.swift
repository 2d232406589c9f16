// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// What subscribers receive of the schedule.
@Suite(.timeLimit(.minutes(10))) struct ScheduleTests {
    private static let second: Int64 = 1_000_000

    @Test("B118: an entry fires once at its time, with its value, and is over")
    func fires() throws {
        let scene = try ScheduleScene()
        let (peer, _) = try scene.subscribe()
        let time = scene.now + 10 * Self.second
        let reply = try scene.add(["at": .integer(time), "value": ["id": "tea"]])
        #expect(reply.parameters == ["next": .integer(time)])
        scene.scene.pass(.seconds(9))
        #expect(try scene.events(of: peer).isEmpty)
        scene.scene.pass(.seconds(2))
        let events = try scene.events(of: peer)
        #expect(events.map { $0.published?.json } == [#"{"id":"tea"}"#])
        #expect(events.map(\.changeCount) == [1])
        #expect(events.map(\.changedAt.microseconds) == [time])
        #expect(try scene.list().isEmpty)
        #expect(access(scene.path, F_OK) != 0)
    }

    @Test("B119: a subscriber in the background receives ten firings as one event")
    func isMerged() throws {
        let scene = try ScheduleScene()
        let (peer, start) = try scene.subscribe(["state": "background"])
        try scene.add(["every": 60_000])
        let first = scene.now + ScheduleScene.minute
        scene.pass(minutes: 10)
        #expect(try scene.events(of: peer).isEmpty)
        try scene.scene.connect().call(
            "SetState", ["subscription": .string(start.subscription), "state": "foreground"])
        let events = try scene.events(of: peer)
        #expect(events.map(\.changeCount) == [10])
        #expect(events.map(\.isNetChange) == [true])
        #expect(events.map(\.published?.json) == ["{}"])
        // Each reply of the scene takes a millisecond.
        #expect(events.allSatisfy { $0.firstChangedAt.microseconds - first < Self.second })
        #expect(try scene.list().map(\.fired) == [10])
    }

    @Test("B122: without a zone an entry keeps its instant, a local one follows the device, a named one its zone")
    func followsItsZone() throws {
        let scene = try ScheduleScene()
        try scene.add(["at": .integer(scene.now + 1_000 * ScheduleScene.minute)], id: "instant")
        try scene.add(["calendar": ["hour": 7]], id: "local")
        try scene.add(["calendar": ["hour": 7], "zone": "Asia/Tokyo"], id: "named")
        let before = try scene.list().map(\.next)
        scene.zones.local = "America/New_York"
        let after = try scene.list().map(\.next)
        #expect(before[0] == after[0])
        #expect(before[2] == after[2])
        // In June, New York is six hours behind Berlin.
        let berlin = try #require(before[1])
        let newYork = try #require(after[1])
        #expect((newYork - berlin - 6 * 60 * ScheduleScene.minute) % (24 * 60 * ScheduleScene.minute) == 0)
    }

    @Test("no slot is lost if more entries are due than fire in one turn when the zone changes")
    func zoneChangeLosesNoSlot() throws {
        let scene = try ScheduleScene()
        for number in 0..<300 { try scene.add(["calendar": ["second": 0]], id: "\(number)") }
        scene.scene.loop.advance(.seconds(60))
        scene.zones.local = "America/New_York"
        scene.scene.turn()
        #expect(try scene.list().map(\.fired) == Array(repeating: 1, count: 300))
    }

    @Test("a zone is watched while the schedule has entries, and again when it has some again")
    func zonesAreWatched() throws {
        let scene = try ScheduleScene()
        for _ in 0..<2 {
            try scene.add(["calendar": ["hour": 7]])
            #expect(scene.zones.watched == ["local"])
            #expect(try scene.cancel().parameters == ["cancelled": 1])
            #expect(scene.zones.watched == [])
        }
        try scene.add(["calendar": ["hour": 7], "until": .integer(scene.now + 1_440 * ScheduleScene.minute)])
        #expect(scene.zones.watched == ["local"])
        scene.pass(minutes: 1_441)
        #expect(try scene.list().isEmpty && scene.zones.watched == [])
    }

    @Test("B124: slots that passed while the machine was off fire at the start, each counted")
    func missedSlotsFireAfterAReboot() throws {
        let scene = try ScheduleScene()
        try scene.add(["every": 60_000])
        try scene.reboot(after: 5)
        let entry = try #require(try scene.list().first)
        #expect(entry.fired == 5)
        let state = try scene.subscribe(["initial": true]).start.events
        #expect(state.map { $0.published?.json } == ["{}"])
    }

    @Test(
        "B124: slots that passed while the machine slept fire at once, each counted, but for `skip` and beyond the grace",
        arguments: [([:], 5), (["ifMissed": "skip"], 0), (["grace": 150_000], 3), (["grace": 600_000], 5)]
            as [(JSONObject, Int)])
    func missedSlots(fields: JSONObject, count: Int) throws {
        let scene = try ScheduleScene()
        let (peer, _) = try scene.subscribe()
        var entry = fields
        entry["every"] = 60_000
        try scene.add(entry)
        let first = try #require(try scene.list().first?.next)
        scene.scene.loop.advance(.seconds(5 * 60 + 10))
        scene.setClock(to: scene.now)
        #expect(try scene.events(of: peer).map(\.changeCount) == (count == 0 ? [] : [count]))
        #expect(try scene.list().map(\.next) == [first + 5 * ScheduleScene.minute], "the grid stays")
        scene.pass(minutes: 1)
        #expect(try scene.events(of: peer).map(\.changeCount) == [1])
    }

    @Test("two identifiers that differ only in their Unicode normalization are two entries")
    func identifiersAreBytes() throws {
        let scene = try ScheduleScene()
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        for id in [composed, decomposed] { try scene.add(["every": 60_000], id: id) }
        #expect(try scene.list().count == 2)
        try scene.restart()
        #expect(try scene.cancel(composed).error == nil)
        try scene.restart()
        #expect(try scene.list().map { Array($0.entry.id.utf8) } == [Array(decomposed.utf8)])
    }

    @Test("B127: a canceled entry does not fire; firings that wait for their subscriber stay")
    func cancels() throws {
        let scene = try ScheduleScene()
        let (peer, start) = try scene.subscribe(["state": "background"])
        for id in ["a", "b", "c"] { try scene.add(["every": 60_000], id: id) }
        scene.pass(minutes: 1)
        #expect(try scene.cancel("b").parameters == ["cancelled": 1])
        #expect(try scene.cancel("b").error == "org.reveille.Schedule.NoSuchEntry")
        #expect(try scene.cancel().parameters == ["cancelled": 2])
        #expect(try scene.cancel().parameters == ["cancelled": 0])
        scene.pass(minutes: 2)
        try scene.scene.connect().call(
            "SetState", ["subscription": .string(start.subscription), "state": "foreground"])
        #expect(try scene.events(of: peer).map(\.changeCount) == [3])
    }

    @Test("B127: an entry with the same identifier replaces another one, and counts anew")
    func replaces() throws {
        let scene = try ScheduleScene()
        try scene.add(["every": 60_000])
        scene.pass(minutes: 1)
        try scene.add(["every": 3_600_000])
        let entries = try scene.list()
        #expect(entries.map(\.entry.every) == [3_600_000])
        #expect(entries.map(\.fired) == [0])
    }

    @Test("`at` alone in the past fires at once, and with an interval only slots after it was added fire")
    func past() throws {
        let scene = try ScheduleScene()
        let (peer, _) = try scene.subscribe()
        try scene.add(["at": .integer(scene.now - ScheduleScene.minute)], id: "a")
        #expect(try scene.events(of: peer).map(\.changeCount) == [1])
        let at = scene.now - ScheduleScene.minute - 30 * Self.second
        let reply = try scene.add(["at": .integer(at), "every": 60_000], id: "b")
        #expect(reply.parameters == ["next": .integer(at + 2 * ScheduleScene.minute)])
        #expect(try scene.events(of: peer).isEmpty)
        #expect(try scene.add(["calendar": ["month": 2, "day": 30]], id: "c").parameters == ["next": .null])
        #expect(try scene.list().map(\.entry.id) == ["b", "c"])
    }
}
