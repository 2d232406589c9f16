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
}
