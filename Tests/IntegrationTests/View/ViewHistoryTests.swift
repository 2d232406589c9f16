// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleViewCore
import Testing
import Varlink

@testable import ReveilleView

@Suite(.blocking, .timeLimit(.minutes(10))) struct ViewHistoryTests {
    private func points(_ scene: ViewScene, _ span: String = "day") throws -> [[JSON]] {
        try scene.object("/battery?span=\(span)")["points"]?.arrayValue?.compactMap(\.arrayValue) ?? []
    }

    private func problem(_ scene: ViewScene) throws -> String? {
        try scene.object("/battery")["problem"]?.stringValue
    }

    @Test("the battery is recorded, and the record continues after a restart without a gap") func recording() throws {
        let scene = try ViewScene()
        try wait(for: "the history to subscribe") { try scene.subscriptions() == ["reveille-view history"] }
        try scene.bus.client().post(level: 0.5)
        try wait(for: "the record") { try points(scene).last?[1] == 0.5 }
        #expect(try points(scene).count == 1)
        try scene.restart()
        try scene.bus.client().post(level: 0.4)
        try wait(for: "the second record") { try points(scene).last?[1] == 0.4 }
        #expect(try points(scene).last?[3] == false, "a gap after a restart that resumed")
        var status = stat()
        #expect(stat(scene.history, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("one sample of a clock that is years ahead deletes the oldest 500 records, not the whole history")
    func clockAhead() throws {
        let directory = try TemporaryDirectory()
        let log = ViewLog(ProgramLog(of: "reveille-view", level: .error))
        func history() -> History { History(path: directory.path + "/history.sqlite", log: log) }
        let now = Clocks.wall() / 1_000_000
        func sample(at time: Int64) -> BatterySample {
            BatterySample(time: time, level: 0.5, state: "unplugged", changes: 1)
        }
        _ = try history().add((1...1_000).map { sample(at: now - $0 * 60) }, at: now)
        // The first record of a program sweeps.
        let program = history()
        program.record(sample(at: now + 10 * 365 * 86_400), at: Positions(instance: "one", generations: [:]))
        #expect(program.problem == nil)
        #expect(program.chart(of: .day, at: now)["changes"] == 500)
    }

    @Test("a record that the file does not take is reported until it does, however often charts are read")
    func unwritableFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/history.sqlite"
        let history = History(path: path, log: ViewLog(ProgramLog(of: "reveille-view", level: .error)))
        let now = Clocks.wall() / 1_000_000
        func record(_ generation: Int, at time: Int64) -> Positions {
            let position = Positions(instance: "one", generations: ["battery": generation])
            history.record(BatterySample(time: time, level: 0.5, state: "unplugged", changes: 1), at: position)
            return position
        }
        let first = record(1, at: now - 60)
        let other = try Database(path)
        try other.run("BEGIN IMMEDIATE")
        let last = record(2, at: now)
        for _ in 1...2 {
            let chart = history.chart(of: .day, at: now)
            #expect(chart["problem"] == .string("the history \(path) cannot be written: database is locked"))
            #expect(chart["events"] == 1)
        }
        #expect(history.position == first)
        try other.run("ROLLBACK")
        _ = history.chart(of: .day, at: now)
        let chart = history.chart(of: .day, at: now)
        #expect(chart["problem"] == .null && chart["events"] == 2)
        #expect(history.position == last)
    }

    @Test("a file that is not a database is reported on the page and left alone, and the page works") func spoiltFile()
        throws
    {
        let directory = try TemporaryDirectory()
        let text = String(repeating: "this is not a database\n", count: 100)
        try directory.write(text, to: "history.sqlite")
        let path = directory.path + "/history.sqlite"
        let scene = try ViewScene(history: path)
        #expect(try problem(scene) == "the history \(path) cannot be read: file is not a database")
        #expect(scene.view.errors.contains("file is not a database"))
        #expect(try String(contentsOfFile: path) == text)
        let (_, start) = try scene.stream()
        #expect(start.data["instance"] != nil)
        // It is used again once it can be.
        unlink(path)
        #expect(try problem(scene) == nil)
        #expect(scene.view.errors.contains("can be used again"))
    }

    @Test("a disk that is full is reported on the page, and the page works") func fullDisk() throws {
        // A file that must not grow is like a disk without room.
        let scene = try ViewScene(launcher: #"trap '' XFSZ; ulimit -f 8; exec "$@""#)
        let reason = try #require(try problem(scene))
        #expect(reason.hasPrefix("the history \(scene.history) cannot be"))
        #expect(try problem(scene) == reason, "a chart was read in between")
        #expect(try scene.get("/").hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test("histories of UPower are imported once, and damaged lines are named") func imports() throws {
        let scene = try ViewScene()
        let now = Clocks.wall() / 1_000_000
        let lines = (1...100).map { "\(now - Int64($0) * 600)\t\(100 - $0).000\tdischarging\n" }.reversed().joined()
        let text = lines + "damaged\n\(now - 100 * 86_400)\t50\tcharging\n\(now + 9_999)\t50\tcharging\n"
        try scene.bus.directory.write(text, to: "charge.dat")
        let file = scene.bus.directory.path + "/charge.dat"
        let run = try scene.bus.run(["--history", scene.history, "--import", file], program: ViewScene.program)
        #expect(run.code == 0)
        #expect(run.output == "\(file): 100 of 101 samples added\n")
        #expect(run.errors.contains("2 lines ignored; the first: line 101 must be"))
        let again = try scene.bus.run(["--history", scene.history, "--import", file], program: ViewScene.program)
        #expect(again.output == "\(file): 0 of 101 samples added\n")
        #expect(try points(scene).count == 100)
        let missing = try scene.bus.run(
            ["--history", scene.history, "--import", "/missing"], program: ViewScene.program)
        #expect(missing.code == EX_NOINPUT && missing.errors.contains("/missing"))
    }
}
