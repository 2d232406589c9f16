// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Testing
import Varlink

@Suite(.timeLimit(.minutes(10))) struct ScheduleClockTests {
    private static let second: Int64 = 1_000_000

    @Test("clocks that are set to 1970 and to 2100 cost no more than others", arguments: ["every", "calendar"])
    func absurdClocks(kind: String) throws {
        let scene = try ScheduleScene()
        let (peer, _) = try scene.subscribe()
        scene.setClock(to: 0)
        try scene.add(kind == "every" ? ["every": 1_000] : ["calendar": ["second": 0]])
        scene.setClock(to: 4_102_444_800 * Self.second)
        let changes = try #require(try scene.events(of: peer).last).changeCount
        #expect(changes > 68_000_000)
        scene.setClock(to: 0)
        scene.pass(minutes: 10)
        #expect(try scene.events(of: peer).map(\.changeCount).reduce(0, +) == (kind == "every" ? 600 : 10))
        scene.setClock(to: .max)
        scene.setClock(to: -5)
        #expect(try scene.list().count <= 1)
    }

    @Test(
        "entries that fired while the clock was at 2100 continue as soon as it comes back, or after a restart",
        arguments: [false, true])
    func clockReturnsFromTheFuture(isRestarted: Bool) throws {
        let scene = try ScheduleScene()
        let day = 1_440 * ScheduleScene.minute
        try scene.add(["every": 60_000], id: "before")
        let start = scene.now
        scene.setClock(to: 4_102_444_800 * Self.second)
        try scene.add(["every": 60_000], id: "then")
        try scene.add(["at": .integer(start), "every": 60_000], id: "grid")
        scene.pass(minutes: 1)
        let fired = try scene.list().map(\.fired)
        #expect(fired[0] > 30_000_000)
        if isRestarted {
            scene.scene.bus.stop()
            scene.scene.loop.wallClock = start + day
            try scene.restart()
        } else {
            scene.setClock(to: start + day)
        }
        // Slots that fired before are not repeated, and the entries keep their distance from the full minutes.
        #expect(try scene.list().map(\.fired) == fired)
        scene.pass(minutes: 3)
        #expect(try scene.list().map(\.fired) == fired.map { $0 + 3 })
        #expect(try scene.list().prefix(2).map { (($0.next ?? 0) - start) % ScheduleScene.minute } == [0, 0])
        try scene.restart()
        #expect(try scene.list().map(\.fired) == fired.map { $0 + 3 })
    }

    @Test("no slot fires again after the machine has started at 1970 and its clock is set", arguments: [false, true])
    func clockStartsAt1970(isRestarted: Bool) throws {
        let scene = try ScheduleScene()
        try scene.add(["every": 60_000], id: "interval")
        try scene.add(["calendar": ["second": 0], "zone": "UTC"], id: "calendar")
        scene.pass(minutes: 3)
        let start = scene.now
        let before = try scene.list()
        // The clock comes back in two steps: first to a time that was saved earlier.
        for time in [60 * Self.second, start - 2 * Self.second, start + Self.second] {
            if isRestarted {
                scene.scene.bus.stop()
                scene.scene.loop.wallClock = time
                try scene.restart()
            } else {
                scene.setClock(to: time)
            }
            #expect(try scene.list().map(\.fired) == before.map(\.fired))
        }
        #expect(try scene.list() == before)
        scene.pass(minutes: 1)
        #expect(try scene.list().map(\.fired) == before.map { $0.fired + 1 })
    }

    @Test("B125: no slot fires twice after the clock is set back by up to a day, whatever is done in between")
    func clockIsSetBackByADay() throws {
        let scene = try ScheduleScene()
        try scene.add(["every": 60_000])
        scene.pass(minutes: 3)
        for _ in 0..<3 {
            scene.setClock(to: scene.now - 1_439 * ScheduleScene.minute)
            try scene.restart()
            scene.setClock(to: scene.now + 1_438 * ScheduleScene.minute)
        }
        #expect(try scene.list().map(\.fired) == [3])
    }
}
