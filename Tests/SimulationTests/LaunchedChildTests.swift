// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import ReveilleSystem
import ReveilleWire
import Testing
import Varlink

/// Launched programs that the next bus tries to follow.
@Suite(.timeLimit(.minutes(10))) struct LaunchedChildTests {
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
        let text = try #require(scene.launcher.launches[0].additions["REVEILLE_LAUNCH"])
        _ = try scene.subscribe(try #require(try JSON.parse(Array(text.utf8)).objectValue))
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
