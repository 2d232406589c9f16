// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// The programs that the bus starts for entries of the schedule.
@Suite(.timeLimit(.minutes(10))) struct LaunchTests {
    private static let command = ["/usr/bin/reminder", "--due"]
    private static let names = ["a", "b", "c"].map { "org.example." + $0 }

    /// A scene with three entries that are due together in a minute.
    private func scene() throws -> ScheduleScene {
        let scene = try ScheduleScene()
        let time = scene.now + ScheduleScene.minute
        for name in Self.names {
            try scene.add(
                [
                    "at": .integer(time), "aspect": .string(name),
                    "launch": .array(Self.command.map { .string($0) }),
                ], id: name)
        }
        return scene
    }

    /// Checks that the program of a launch receives all three firings.
    private func expectFirings(_ scene: ScheduleScene, launch: Int? = nil) throws {
        let start = try scene.scene.connect().subscribe(to: Self.names, try scene.launchParameters(launch))
        #expect(start.resumed == true)
        #expect(start.events.map(\.aspect.name).sorted() == Self.names)
        #expect(start.events.map(\.changeCount) == [1, 1, 1])
    }

    @Test("B120: three entries that are due together start their program once, and its first reply names all three")
    func startsOnce() throws {
        let scene = try scene()
        scene.pass(minutes: 2)
        #expect(scene.launcher.launches.map(\.command) == [Self.command])
        #expect(scene.launcher.launches.first?.additions["REVEILLE_ADDRESS"] == "unix:/scene")
        try expectFirings(scene, launch: 0)
        scene.pass(minutes: 60)
        #expect(scene.launcher.launches.count == 1)
    }

    @Test("B121: a launched program that does not subscribe is started again after 1, 5 and 30 minutes")
    func startsAgain() throws {
        let scene = try scene()
        var counts: [Int] = []
        for minutes: Int64 in [1, 1, 1, 6, 31, 31] {
            scene.pass(minutes: minutes)
            counts.append(scene.launcher.launches.count)
        }
        #expect(counts == [1, 1, 2, 3, 4, 5])
        #expect(scene.scene.log.all.contains { $0.contains("has not subscribed; it is started again in 1 min") })
        try expectFirings(scene, launch: 4)
    }

    @Test("a command that cannot be started is tried again, and the reason is logged")
    func cannotStart() throws {
        let scene = try scene()
        scene.launcher.result = .failed("no such file")
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.count == 1)
        #expect(scene.scene.log.all.contains { $0.contains("cannot be started: no such file") })
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.count == 2)
    }

    @Test("B126: a bus that is killed after a start waits for the program, which receives all firings once")
    func survivesAKill() throws {
        let scene = try scene()
        scene.pass(minutes: 1)
        #expect(scene.launcher.launches.count == 1)
        let parameters = try scene.launchParameters(0)
        try scene.restart()
        scene.scene.pass(.seconds(20))
        #expect(scene.launcher.launches.count == 1)
        let start = try scene.scene.connect().subscribe(to: Self.names, parameters)
        #expect(start.resumed == true)
        #expect(start.events.map(\.changeCount) == [1, 1, 1])
        scene.pass(minutes: 60)
        #expect(scene.launcher.launches.count == 1)
    }

    @Test("slots that passed while the machine was off start the program five seconds after the bus, with their number")
    func startsAfterAReboot() throws {
        let scene = try ScheduleScene()
        try scene.add(["every": 60_000, "launch": .array(Self.command.map { .string($0) })])
        try scene.reboot(after: 7)
        scene.scene.pass(.seconds(4))
        #expect(scene.launcher.launches.isEmpty)
        scene.scene.pass(.seconds(2))
        #expect(scene.launcher.launches.count == 1)
        let start = try scene.subscribe(try scene.launchParameters(0)).start
        #expect(start.resumed == true)
        #expect(start.events.map(\.changeCount) == [7])
    }

    @Test("firings whose program could not be started before a reboot are published again afterwards")
    func launchSurvivesAReboot() throws {
        let scene = try scene()
        scene.launcher.result = .failed("not yet")
        scene.pass(minutes: 1)
        try scene.reboot(after: 0)
        scene.launcher.result = .started(nil)
        scene.pass(minutes: 2)
        try expectFirings(scene)
    }

    @Test("a program that the next bus cannot follow is reported, and not started again by the bus after it")
    func childThatCannotBeFollowed() throws {
        let scene = try ScheduleScene()
        scene.launcher.startsChildren = true
        let entry: JSONObject = ["at": .integer(scene.now), "launch": ["/usr/bin/reminder"]]
        scene.pass(minutes: 1)
        try scene.add(entry)
        scene.scene.turn()
        #expect(scene.launcher.launches.count == 1)
        // The program receives its firing.
        _ = try scene.subscribe(try scene.launchParameters())
        scene.scene.turn()
        scene.launcher.canFollow = false
        try scene.restart()
        #expect(scene.scene.log.all.contains { $0.contains("may be running, and cannot be followed: pidfd_open") })
        scene.launcher.canFollow = true
        try scene.restart()
        try scene.add(entry)
        scene.scene.pass(.seconds(10))
        #expect(scene.launcher.launches.count == 1)
    }
}
