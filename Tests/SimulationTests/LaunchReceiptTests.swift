// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleHost
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// Programs that are started for firings that a subscriber has left without having received them.
@Suite(.timeLimit(.minutes(10))) struct LaunchReceiptTests {
    private static let command = ["/usr/bin/reminder"]

    /// A scene with an entry that is due each minute and has a command.
    private func scene() throws -> ScheduleScene {
        let scene = try ScheduleScene()
        scene.pass(minutes: 1)
        try scene.add(["every": 60_000, "launch": .array(Self.command.map { .string($0) })])
        return scene
    }

    private func resume(_ scene: ScheduleScene) throws -> (peer: ScenePeer, start: SubscribeReply) {
        try scene.subscribe(try scene.launchParameters())
    }

    @Test("a firing that the last subscriber leaves unread starts the program and is delivered to it")
    func unreadFiring() throws {
        let scene = try scene()
        let (peer, _) = try scene.subscribe()
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.isEmpty)
        peer.stream.close()
        scene.scene.turn()
        #expect(scene.launcher.launches.count == 1)
        #expect(try resume(scene).start.events.map(\.changeCount) == [1])
    }

    @Test("a firing between the last read of a launched program and its exit starts it again, for this firing alone")
    func firingBeforeTheExit() throws {
        let scene = try scene()
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.count == 1)
        let (peer, start) = try resume(scene)
        #expect(start.events.map(\.changeCount) == [1])
        scene.pass(minutes: 1)
        peer.stream.close()
        scene.scene.turn()
        #expect(scene.launcher.launches.count == 2)
        let (next, again) = try resume(scene)
        #expect(again.events.map(\.changeCount) == [1])
        scene.scene.pass(.seconds(50))
        next.stream.close()
        scene.scene.turn()
        #expect(scene.launcher.launches.count == 2)
    }

    @Test("a launched program that leaves without having read anything is started again after a pause")
    func crashesAtOnce() throws {
        let scene = try ScheduleScene()
        scene.pass(minutes: 1)
        try scene.add(["at": .integer(scene.now), "launch": .array(Self.command.map { .string($0) })])
        scene.scene.turn()
        var counts: [Int] = []
        for _ in 0..<3 {
            let peer = scene.scene.connect()
            peer.send("Subscribe", ["aspects": [.string(ScheduleScene.name)], "initial": true], more: true)
            scene.scene.pass(.seconds(1))
            peer.stream.close()
            scene.scene.turn()
            counts.append(scene.launcher.launches.count)
            scene.pass(minutes: 6)
        }
        #expect(counts == [1, 2, 3])
    }

    @Test("B126: firings that were not sent before a kill start the program if their subscriber stays away")
    func subscriberStaysAway() throws {
        let scene = try scene()
        let (peer, _) = try scene.subscribe()
        scene.pass(minutes: 1)
        #expect(peer.stream.toPeer.isEmpty == false)
        try scene.restart()
        scene.scene.pass(.seconds(10))
        // It can still be read, although the bus is gone.
        #expect(scene.launcher.launches.isEmpty)
        _ = try scene.subscribe(["state": "background"])
        scene.pass(minutes: 2)
        try scene.restart()
        scene.scene.pass(.seconds(10))
        #expect(scene.launcher.launches.count == 1)
        #expect(try resume(scene).start.events.map(\.changeCount) == [2])
    }

    @Test("a firing that was sent, but not read, is not lost if another one follows before its subscriber leaves")
    func sentFiringBeforeAnother() throws {
        let scene = try scene()
        scene.launcher.result = .failed("no such program")
        let (peer, _) = try scene.subscribe()
        scene.pass(minutes: 2)
        #expect(try scene.cancel().error == nil)
        peer.stream.close()
        scene.scene.turn()
        let count = scene.launcher.launches.count
        #expect(count == 1)
        try scene.restart()
        scene.launcher.result = .started(nil)
        scene.pass(minutes: 3)
        #expect(scene.launcher.launches.count > count)
        #expect(try resume(scene).start.events.map(\.changeCount) == [2])
    }

    @Test("a firing that is sent when the bus stops does not start the program") func sentAtTheEnd() throws {
        let scene = try scene()
        _ = try scene.subscribe()
        scene.pass(minutes: 2)
        #expect(try scene.cancel().error == nil)
        try scene.restart(isClean: true)
        scene.pass(minutes: 3)
        #expect(scene.launcher.launches.isEmpty)
    }

    @Test("B120: a program that is running is not started a second time until it has ended, not even by the next bus")
    func nextBusKnowsTheChild() throws {
        let scene = try scene()
        scene.launcher.startsChildren = true
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.count == 1)
        #expect(try resume(scene).start.events.map(\.changeCount) == [1])
        scene.scene.pass(.seconds(1))
        try scene.restart()
        scene.pass(minutes: 3)
        #expect(scene.launcher.launches.count == 1)
        scene.launcher.endAll()
        scene.scene.pass(.seconds(1))
        #expect(scene.launcher.launches.count == 2)
        #expect(try resume(scene).start.events.map(\.changeCount) == [3])
    }

    @Test("the file stays while a launched program is running, and goes with it") func fileOfAChild() throws {
        let scene = try ScheduleScene()
        scene.launcher.startsChildren = true
        scene.pass(minutes: 1)
        try scene.add(["at": .integer(scene.now), "launch": ["a"]])
        scene.scene.turn()
        _ = try resume(scene)
        scene.scene.turn()
        #expect(try scene.list().isEmpty)
        #expect(access(scene.path, F_OK) == 0)
        scene.launcher.endAll()
        scene.scene.turn()
        #expect(access(scene.path, F_OK) != 0)
    }

    @Test(
        "a start that is postponed, since the program is still running, does not count as an attempt, and is repeated soon"
    )
    func postponed() throws {
        let scene = try scene()
        scene.launcher.result = .alreadyRunning
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.count == 1)
        scene.scene.pass(.seconds(6))
        #expect(scene.launcher.launches.count == 2)
        scene.scene.pass(.seconds(11))
        #expect(scene.launcher.launches.count == 3)
        scene.launcher.result = .started(nil)
        scene.scene.pass(.seconds(21))
        #expect(scene.launcher.launches.count == 4)
        scene.pass(minutes: 1)
        #expect(scene.scene.log.all.contains { $0.contains("has not subscribed; it is started again in 1 min") })
    }

    @Test("commands that differ only in their Unicode normalization are two programs") func commandsAreBytes() throws {
        let scene = try ScheduleScene()
        scene.pass(minutes: 1)
        for (id, argument) in [("a", "\u{e9}"), ("b", "e\u{301}")] {
            try scene.add(["at": .integer(scene.now), "launch": ["program", .string(argument)]], id: id)
        }
        scene.scene.turn()
        #expect(scene.launcher.launches.map { Array($0.command[1].utf8).count }.sorted() == [2, 3])
    }
}
