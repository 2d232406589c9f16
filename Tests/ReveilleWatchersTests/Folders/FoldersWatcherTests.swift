// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct FoldersWatcherTests {
    @Test func namesAreThoseOfTheFolder() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "1") }
        app.scene.step("look", {}, until: { app.names == ["a"] })
        app.scene.step("make", { app.scene.write(app.path("b"), "2") }, until: { app.names == ["a", "b"] })
        app.scene.step("rename", { app.scene.move(app.path("a"), app.path("c")) }, until: { app.names == ["b", "c"] })
        app.scene.step("remove", { app.scene.remove(app.path("b")) }, until: { app.names == ["c"] })
        try app.scene.play()
    }

    @Test("B177: a renamed file keeps its identity, and a new file with its number has another one")
    func identityIsThatOfTheFile() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "1") }
        var old: FolderEntry?
        app.scene.step(
            "rename",
            {
                old = app.listing?.entries.first
                app.scene.move(app.path("a"), app.path("b"))
            }, until: { app.names == ["b"] && app.listing?.entries.first?.identity == old?.identity })
        app.scene.step(
            "replace",
            {
                app.scene.remove(app.path("b"))
                app.scene.write(app.path("c"), "1")
            }, until: { app.names == ["c"] && app.listing?.entries.first?.identity != old?.identity })
        try app.scene.play()
    }

    @Test("B175: a file that is being written keeps its last state until it is closed")
    func writtenFileIsTakenOnceClosed() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "1") }
        var before: FolderListing?
        var descriptor: Int32 = -1
        app.scene.quiet("write", for: .milliseconds(300)) {
            before = app.listing
            descriptor = app.scene.open(app.path("a"), writing: [])
            for _ in 0..<100 { app.scene.append([1, 2, 3], to: descriptor) }
        }
        app.scene.step("close", { close(descriptor) }, until: { app.listing != before })
        try app.scene.play()
        #expect(app.scene.readings.count == 2)
    }

    @Test("B180: links, subfolders, pipes and names that are not UTF-8 are names like others")
    func everyEntryIsAName() throws {
        let app = try FoldersScene()
        app.scene.step(
            "make",
            {
                app.makeFile([0xE9, 0x0A, 0x5C])
                app.scene.link(app.path("link"), to: "/nowhere")
                #expect(mkdir(app.scene.at(app.path("sub")), 0o755) == 0)
                #expect(mkfifo(app.scene.at(app.path("pipe")), 0o644) == 0)
            }, until: { app.names == [#"\xe9\x0a\\"#, "link", "pipe", "sub"] })
        app.scene.quiet("a file in a subfolder", for: .milliseconds(200)) { app.scene.write(app.path("sub/x"), "") }
        app.scene.step("another", { app.makeFile([0xFF]) }, until: { app.names?.contains(#"\xff"#) == true })
        try app.scene.play()
    }

    @Test("B178: after a loss of events the folder is scanned") func overflowCausesAScan() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/gone", "") }
        let limit = try #require(SettingsTroubleTests.queueLimit)
        try #require(limit < 200_000, "the queue is too long to overflow")
        app.scene.step(
            "flood",
            {
                for index in 0..<(limit / 2 + 500) {
                    app.scene.write(app.path("f\(index)"), "")
                    app.scene.remove(app.path("f\(index)"))
                }
                app.scene.remove(app.path("gone"))
                app.scene.write(app.path("kept"), "")
            }, until: { app.names == ["kept"] })
        try app.scene.play()
        #expect(app.scene.overflows == 1)
        #expect(app.scene.readings.count == 2)
    }

    @Test("two names that differ only in their Unicode normalization are two files")
    func normalizationsAreTwoNames() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let app = try FoldersScene { $0.write("/home/u/Documents/" + composed, "") }
        var names: [[UInt8]]? { app.names?.map { Array($0.utf8) } }
        let both = [decomposed, composed].map { Array($0.utf8) }
        app.scene.step("make", { app.scene.write(app.path(decomposed), "") }, until: { names == both })
        app.scene.step("remove", { app.scene.remove(app.path(composed)) }, until: { names == [both[0]] })
        try app.scene.play()
    }

    @Test("two folders whose paths differ only in their Unicode normalization are two folders")
    func normalizationsAreTwoFolders() throws {
        let scene = try Scene()
        let paths = ["/\u{e9}", "/e\u{301}"]
        for path in paths { scene.makeDirectory(path) }
        let watcher = try FoldersWatcher(
            loop: scene.loop,
            folders: zip(["a", "b"], paths).map { ConfiguredFolder(name: $0, path: $1) },
            settings: FileSettings(paths: [], root: scene.root, home: "/"), context: scene.context)
        watcher.pace = .live
        var names: [[String]]? {
            scene.readings.last?.folders?.listings.map { $0.entries.map(\.name.text) }
        }
        scene.step("scan", {}, until: { names == [[], []] })
        scene.step("one", { scene.write(paths[0] + "/x", "") }, until: { names == [["x"], []] })
        scene.step("other", { scene.write(paths[1] + "/y", "") }, until: { names == [["x"], ["y"]] })
        scene.step(
            "both", { for path in paths { scene.write(path + "/z", "") } },
            until: { names == [["x", "z"], ["y", "z"]] })
        try scene.play()
    }

    @Test("folders are scanned in later turns of the loop, and a question meanwhile waits for them")
    func startTakesTurns() throws {
        let scene = try Scene()
        let folders = (0..<ConfiguredFolder.limit).map { ConfiguredFolder(name: "f\($0)", path: "/f\($0)") }
        for folder in folders { for name in ["a", "b"] { scene.makeDirectory(folder.path + "/" + name) } }
        let watcher = try FoldersWatcher(
            loop: scene.loop, folders: folders,
            settings: FileSettings(paths: [], root: scene.root, home: "/"), context: scene.context)
        watcher.pace = .live
        #expect(scene.readings.isEmpty)
        #expect(watcher.mayLag)
        var isAnswered = false
        watcher.update {
            isAnswered = true
            #expect(scene.readings.count == 1)
        }
        #expect(!isAnswered)
        scene.step("scan", {}, until: { isAnswered })
        scene.step(
            "look", { #expect(!watcher.mayLag) },
            until: { scene.readings.last?.folders?.listings.map(\.entries.count) == folders.map { _ in 2 } })
        try scene.play()
        #expect(watcher.laterTime > 0)
    }

    @Test("between the turns of a long scan, other sources have theirs, and the report is part of the scan's time")
    func scanLeavesTurnsToOthers() throws {
        let scene = try Scene()
        scene.makeDirectory("/f")
        for number in 0..<5_000 { scene.write("/f/\(number)", "") }
        let work: UInt64 = 20_000
        let context = WatcherContext(
            report: { [loop = scene.loop] reading in
                let start = loop.threadClock
                while loop.threadTime(since: start) < work {}
                scene.context.report(reading)
            }, warn: scene.context.warn, overflowed: scene.context.overflowed)
        let watcher = try FoldersWatcher(
            loop: scene.loop, folders: [ConfiguredFolder(name: "f", path: "/f")],
            settings: FileSettings(paths: [], root: scene.root, home: "/"), context: context)
        watcher.pace = .live
        var (turns, isAnswered) = (0, false)
        var other: EventSource?
        other = try scene.loop.timer(priority: .normal) {
            turns += 1
            if !isAnswered { other?.fire(after: .zero) }
        }
        scene.step("start", {}, until: { !watcher.mayLag })
        scene.step(
            "refresh",
            {
                other?.fire(after: .zero)
                watcher.refresh { isAnswered = true }
            }, until: { isAnswered })
        try scene.play()
        withExtendedLifetime(other) { other = nil }
        #expect(turns > 2)
        #expect(watcher.laterTime >= work)
    }

    @Test("without folders there is no source and no reading") func nothingIsReadWithoutFolders() throws {
        let scene = try Scene()
        let watcher = try FoldersWatcher(
            loop: scene.loop, folders: [], settings: FileSettings(paths: [], root: scene.root, home: "/"),
            context: scene.context)
        watcher.pace = .live
        #expect(watcher.source == .unavailable("no folders are configured"))
        #expect(scene.readings.isEmpty)
    }
}
