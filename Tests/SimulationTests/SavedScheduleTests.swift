// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// The schedule over restarts, crashes and bad disks.
@Suite(.timeLimit(.minutes(10))) struct SavedScheduleTests {

    @Test("a firing is in the file of the log, although the schedule's file has it and the state need not be saved")
    func firingIsSaved() throws {
        let scene = try ScheduleScene()
        try scene.add(["at": .integer(scene.now + ScheduleScene.minute)])
        scene.pass(minutes: 2)
        #expect(scene.directory.read("state.json.log").contains(ScheduleScene.name))
    }

    @Test("entries are as before after a stop and after a kill", arguments: [true, false])
    func entriesSurvive(isClean: Bool) throws {
        let scene = try ScheduleScene()
        try scene.add(["every": 60_000, "value": ["a": 1.5], "grace": 5_000, "launch": ["true", "x"]], id: "a")
        try scene.add(["calendar": ["weekday": 1, "hour": 7], "ifMissed": "skip", "zone": "Asia/Tokyo"], id: "b")
        try scene.add(["calendar": ["weekdays": [7, 1, 7]], "zone": "Asia/Tokyo", "wake": true], id: "e")
        try scene.add(["at": .integer(scene.now + 1), "every": 1_000, "until": .integer(scene.now + 5)], id: "c")
        try scene.add(["every": 1_000], id: "d")
        #expect(try scene.cancel("d").error == nil)
        let before = try scene.list()
        try scene.restart(isClean: isClean)
        #expect(try scene.list() == before)
        #expect(scene.zones.watched == ["Asia/Tokyo"])
    }

    @Test("a file with a damaged record is moved aside, and the reason is logged")
    func spoiltFile() throws {
        let scene = try ScheduleScene()
        for id in ["a", "b", "c"] { try scene.add(["every": 60_000], id: id) }
        var text = scene.directory.read("state/schedule")
        text.replace(#""id":"b""#, with: #""id":"x""#)
        try scene.directory.write(text, to: "state/schedule")
        try scene.restart()
        #expect(try scene.list().isEmpty)
        #expect(scene.scene.log.all.contains { $0.contains("a record before the last one is damaged") })
        #expect(scene.directory.read("state/schedule.unusable") == text)
        #expect(try scene.add(["every": 60_000], id: "d").error == nil)
        #expect(scene.directory.read("state/schedule.unusable") == text)
    }

    @Test("a file that was cut at any byte contains all entries but those after the cut")
    func cutFile() throws {
        let scene = try ScheduleScene()
        for id in ["a", "b", "c"] { try scene.add(["every": 60_000], id: id) }
        let text = Array(scene.directory.read("state/schedule").utf8)
        let header = try #require(text.firstIndex(of: UInt8(ascii: "\n")))
        for length in header + 1...text.count {
            try scene.directory.write(bytes: Array(text[..<length]), to: "cut")
            let saved = try #require(try ScheduleFile(path: scene.directory.path + "/cut").load())
            let whole = text[..<length].count { $0 == UInt8(ascii: "\n") } - 1
            // The first line after the header says which firings the file leaves out.
            #expect(saved.items.count == max(0, whole - 1))
        }
    }

    @Test("if the file cannot be written anew at the start, nothing fires until it can, and no entry is lost")
    func failedRewrite() throws {
        let scene = try ScheduleScene()
        for id in ["a", "b"] { try scene.add(["every": 60_000], id: id) }
        // A directory in the place of the new file cannot be written.
        mkdir(scene.path + ".new", 0o700)
        try scene.restart()
        scene.pass(minutes: 2)
        #expect(try scene.list().map(\.fired) == [0, 0])
        rmdir(scene.path + ".new")
        scene.pass(minutes: 1)
        #expect(try scene.list().map(\.fired) == [3, 3])
        try scene.restart()
        #expect(try scene.list().map(\.fired) == [3, 3])
    }

    @Test("what a firing writes does not grow with the value, and the value is restored after a kill")
    func firingsDoNotRepeatValues() throws {
        let scene = try ScheduleScene()
        let text = String(repeating: "x", count: 3_000)
        try scene.add(["every": 60_000, "value": ["text": .string(text)]])
        scene.scene.pass(.milliseconds(200))
        let before = scene.directory.read("state/schedule").utf8.count
        scene.pass(minutes: 3)
        #expect(scene.directory.read("state/schedule").utf8.count - before < 1_500)
        try scene.restart()
        let values = try scene.scene.connect().values(of: ScheduleScene.name)
        #expect(values == [ScheduleScene.name: #"{"text":"\#(text)"}"#])
    }

    @Test("a user whose entries are replaced without end writes a megabyte a second, and others do not wait")
    func writingIsShared() throws {
        let scene = try ScheduleScene(
            publish: #"{ allow: [{ names: "org.example.*", users: [1000, 1001] }] }"#, owner: 0)
        let text = String(repeating: "x", count: 4_000)
        let peers = (0..<16).map { _ in scene.scene.connect() }
        func add(_ number: Int) {
            peers[number].send(
                "org.reveille.Schedule.Add",
                [
                    "entry": [
                        "id": .string("\(number)"), "aspect": "org.example.x", "every": 60_000_000,
                        "value": ["text": .string(text)],
                    ]
                ])
        }
        for number in peers.indices { add(number) }
        var added = 0
        let start = scene.scene.loop.bootClock
        while scene.scene.loop.bootClock < start + 4_000_000 {
            for (number, peer) in peers.enumerated() {
                guard let reply = try peer.next() else { continue }
                #expect(reply.error == nil)
                added += 1
                add(number)
            }
            scene.scene.loop.advance(.milliseconds(1))
        }
        // The burst, and four seconds.
        #expect((4 << 20...6 << 20).contains(added * 4_256))
        let before = scene.scene.loop.bootClock
        #expect(try scene.add(["every": 60_000], uid: 1_001).error == nil)
        #expect(scene.scene.loop.bootClock == before)
    }

    @Test("the file stays short, whatever the number of firings and replacements")
    func fileIsShortened() throws {
        let scene = try ScheduleScene()
        let peer = scene.scene.connect()
        for round in 0..<2_000 {
            let entry: JSONObject = [
                "id": "one", "aspect": .string(ScheduleScene.name), "every": .integer(Int64(60_000 + round)),
            ]
            #expect(try peer.call("org.reveille.Schedule.Add", ["entry": .object(entry)]).error == nil)
        }
        #expect(scene.directory.read("state/schedule").utf8.count < 3 * 65_536)
        #expect(try scene.list().count == 1)
    }
}
