// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWire
import Testing
import Varlink

/// The log of the bus: what it has, and what outlasts the bus and its accidents.
@Suite(.timeLimit(.minutes(10))) struct LogTests {
    private static let name = "org.example.volume"

    private static let deepValue =
        String(repeating: #"{"a":"#, count: PublishedValue.depthLimit) + "{}"
        + String(repeating: "}", count: PublishedValue.depthLimit)

    private let directory: TemporaryDirectory
    private let disk = BadDisk()
    private var path: String { directory.path + "/state/log" }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("", to: "state/.keep")
    }

    private func scene(watch: String = "[]") throws -> BusScene {
        let state = StateFile(path: directory.path + "/state.json", on: disk.disk)
        return try BusScene(owner: 0, state: state, logFile: LogFile(path: path, on: disk.disk), watch: watch)
    }

    private func lines(_ scene: BusScene) throws -> [LogLine] {
        try [LogLine](scene.connect().call("GetLog").parameters, noting: UnknownWords())
    }

    private func events(_ scene: BusScene) throws -> [Event] {
        try lines(scene).compactMap { if case .change(let event) = $0, event.changeCount > 0 { event } else { nil } }
    }

    private func values(_ scene: BusScene) throws -> [String?] { try events(scene).map { $0.published?.json } }

    private func publish(_ scene: BusScene, _ levels: ClosedRange<Int>) throws {
        let owner = scene.connect(uid: 0)
        for level in levels { try owner.publish(Self.name, .object(["n": .integer(Int64(level))])) }
    }

    private func text() -> String { directory.read("state/log") }

    @Test(
        "the log has the first reading of an aspect in 'watch', and says that it is watched", arguments: [true, false])
    func watchedAspectIsLogged(isWatched: Bool) throws {
        // The configuration as it is shipped watches the battery.
        let scene = try scene(watch: isWatched ? #"["battery"]"# : "[]")
        scene.pass(.seconds(1))
        let watching = try lines(scene).filter { $0.aspect == .battery }.map { line in
            switch line {
            case .change(let event): "\(event.changeCount) changes"
            case .watching(_, let isOn, _): "\(isOn)"
            }
        }
        #expect(watching == (isWatched ? ["true", "0 changes"] : []))
    }

    @Test(
        "a withdrawn name and its withdrawal outlast a stop, and a kill after the next save", arguments: [true, false])
    func withdrawalOutlastsTheBus(isClean: Bool) throws {
        let scene = try scene()
        try publish(scene, 1...2)
        try scene.connect(uid: 0).publish(Self.name)
        let expected = [#"{"n":1}"#, #"{"n":2}"#, nil]
        #expect(try values(scene) == expected)
        scene.pass(.milliseconds(200))
        try scene.restart(isClean: isClean)
        #expect(try values(scene) == expected)
        try publish(scene, 3...3)
        #expect(try values(scene) == expected + [#"{"n":3}"#])
        let runs = try lines(scene).compactMap { if case .watching(nil, let isOn, _) = $0 { isOn } else { nil } }
        #expect(runs == (isClean ? [true, false, true] : [true, true]))
    }

    @Test("states that end with a connection are logged, but neither they nor their names are ever in the file")
    func tiedStatesAreNotSaved() throws {
        let scene = try scene()
        let peer = scene.connect(uid: 0)
        try peer.publish(Self.name, ["secret": 1], tied: true)
        scene.pass(.seconds(1))
        peer.stream.close()
        scene.pass(.seconds(1))
        #expect(try values(scene) == [#"{"secret":1}"#, nil])
        try scene.restart(isClean: true)
        #expect(try values(scene) == [])
        #expect(!text().isEmpty && !text().contains("secret") && !text().contains(Self.name))
    }

    @Test(
        "lines that were torn, damaged, of a later version or endless are left out, and the rest stays",
        arguments: [
            #"{"event":{"aspect":"battery","gener"#, "garbage\n", #"{"later":{"kind":1}}"# + "\n",
            #"{"aspect":"later","watched":true,"since":1}"# + "\n", "{}\n",
            #"{"event":{"aspect":"org.a.b","generation":-1}}"# + "\n", "\0\n\n\u{1}\n",
            #"{"since":99999999999999999999,"watched":true}"# + "\n",
            String(repeating: "[", count: BusLog.lineLimit + 1) + "\n",
            #"{"event":{"state":"# + deepValue + #","generation":9,"sequence":9,"changes":1,"netChange":true,"#
                + #""firstChangedAt":1,"changedAt":1,"dropped":0,"aspect":"org.a.b"}}"# + "\n",
        ])
    func wrongLinesAreLeftOut(wrong: String) throws {
        let scene = try scene()
        try publish(scene, 1...2)
        try scene.restart(isClean: true)
        let saved = text()
        let instance = try scene.connect().call("GetState").parameters["instance"]
        scene.pass(.milliseconds(200))
        try directory.write(saved + wrong, to: "state/log")
        try scene.restart(isClean: false)
        #expect(try values(scene) == [#"{"n":1}"#, #"{"n":2}"#])
        #expect(scene.log.all.contains { $0.contains("ignored lines that this version") }, "\(scene.log.all)")
        #expect(
            try scene.connect().call("GetState").parameters["instance"] == instance, "positions do not depend on it")
        try publish(scene, 3...3)
        try scene.restart(isClean: true)
        #expect(try values(scene).last == #"{"n":3}"#)
        #expect(text().hasPrefix(saved) && text().hasSuffix("\n"))
    }

    @Test("a busy publisher does not displace the device between two saves") func deviceStaysInTheLog() throws {
        let scene = try scene()
        _ = try scene.connect(uid: 0).call("Post", ["proximity": ["state": "near"]])
        try publish(scene, 1...1_600)
        #expect(try events(scene).contains { $0.aspect == .proximity })
    }

    @Test("a lasting state is in the file, even if its name was tied to a connection before") func lastingStateIsSaved()
        throws
    {
        let scene = try scene()
        try scene.connect(uid: 0).publish(Self.name, ["n": 0], tied: true)
        scene.pass(.milliseconds(200))
        try publish(scene, 1...2)
        scene.pass(.milliseconds(200))
        #expect(text().contains(#"{"n":2}"#))
    }

    @Test("lines that cannot be read are kept in another file") func foreignLinesAreKept() throws {
        try directory.write("two lines\nof a text\n", to: "state/log")
        let scene = try scene()
        try publish(scene, 1...1)
        scene.pass(.milliseconds(200))
        #expect(directory.read("state/log.old") == "two lines\nof a text\n")
        #expect(text().contains(#"{"n":1}"#))
    }

    @Test("if lines that cannot be read cannot be kept in another file, theirs is left as it is")
    func unkeptLinesAreLeft() throws {
        try directory.write("a line\n", to: "state/log")
        disk.refused = [.rename]
        let scene = try scene()
        disk.refused = []
        try publish(scene, 1...1)
        try scene.restart(isClean: true)
        #expect(directory.read("state/log.old") == "a line\n")
        #expect(scene.log.all.contains { $0.contains("ends with the bus") && $0.contains(path) }, "\(scene.log.all)")
    }

    @Test("a file that is a link, or endless, is left as it is, and the log ends with the bus")
    func foreignFileIsLeft() throws {
        for (level, kind) in [(1, "link"), (2, "endless")] {
            unlink(path)
            try directory.write(String(repeating: "x", count: 4 * BusLog.limit), to: "state/other")
            let result = kind == "link" ? symlink("other", path) : rename(directory.path + "/state/other", path)
            try #require(result == 0)
            let scene = try scene()
            try publish(scene, level...level)
            #expect(try values(scene) == [#"{"n":\#(level)}"#])
            try scene.restart(isClean: true)
            #expect(try values(scene) == [])
            #expect(text().utf8.count == 4 * BusLog.limit, "\(kind)")
            #expect(
                scene.log.all.contains { $0.contains("ends with the bus") && $0.contains(path) }, "\(scene.log.all)")
        }
    }

    @Test("after a full disk, the whole log is written, without the part of a line that it has left")
    func fullDisk() throws {
        let scene = try scene()
        try publish(scene, 1...1)
        scene.pass(.seconds(10))
        disk.refused = [.write]
        try publish(scene, 2...4)
        scene.pass(.seconds(20))
        disk.refused = []
        #expect(
            text().split(separator: "\n").last.flatMap { try? JSON.parse(Array($0.utf8)) } == nil, "a part of a line")
        // Nothing else changes.
        scene.pass(.seconds(60))
        try scene.restart(isClean: false)
        #expect(try values(scene) == (1...4).map { #"{"n":\#($0)}"# })
        #expect(scene.log.all.count { $0.contains("the log of changes cannot be saved") } == 1)
    }

    @Test("the order of the log is that of the changes, whatever the clock says") func clockGoesBack() throws {
        let scene = try scene()
        try publish(scene, 1...1)
        scene.pass(.seconds(1))
        scene.loop.wallClock -= 3_600_000_000
        try publish(scene, 2...2)
        scene.pass(.seconds(1))
        try scene.restart(isClean: true)
        #expect(try values(scene) == [#"{"n":1}"#, #"{"n":2}"#])
    }

    @Test(
        "a save writes the log without another wake-up, and a publisher that never rests is written at a bounded rate")
    func diskRests() throws {
        let scene = try scene()
        let owner = scene.connect(uid: 0)
        var sizes: [Int] = []
        for level in 1...200 {
            let long = String(repeating: "\(level % 10)", count: 4_000)
            try owner.publish(Self.name, ["long": .string(long)])
            scene.pass(.milliseconds(110))
            sizes.append(text().utf8.count)
        }
        let writes = zip(sizes, sizes.dropFirst()).count { $0 != $1 }
        #expect(writes > 5 && writes < 60, "\(writes) of 200 saves")
        // Without another change, once the disk has rested.
        scene.pass(.seconds(1_000), step: .seconds(1))
        try scene.restart(isClean: false)
        #expect(try events(scene).last?.published?.json?.contains("000") == true)
    }

    @Test("the work for the log is charged to the user whose changes it has") func workIsCharged() throws {
        let scene = try scene()
        let (publisher, probe) = (scene.connect(uid: 0), scene.connect(uid: 2_000))
        try publish(scene, 1...1)
        scene.loop.work = 100_000
        scene.pass(.milliseconds(200))
        scene.loop.work = 0
        for _ in 0..<20 {
            for peer in [publisher, probe] { peer.send("GetState", ["aspects": ["locale"]]) }
            while probe.stream.toPeer.isEmpty {
                #expect(publisher.stream.toPeer.isEmpty)
                _ = scene.bus.turn()
            }
            for peer in [probe, publisher] { #expect(try peer.reply() != nil) }
        }
    }
}
