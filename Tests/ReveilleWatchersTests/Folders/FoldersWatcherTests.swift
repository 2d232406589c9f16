// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct FoldersWatcherTests {
    @Test func namesAreThoseOfTheFolder() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "1") }
        #expect(app.names == ["a"])
        app.scene.step("make", { app.scene.write(app.path("b"), "2") }, until: { app.names == ["a", "b"] })
        app.scene.step("rename", { app.scene.move(app.path("a"), app.path("c")) }, until: { app.names == ["b", "c"] })
        app.scene.step("remove", { app.scene.remove(app.path("b")) }, until: { app.names == ["c"] })
        try app.scene.play()
    }

    @Test("B177: a renamed file keeps its identity, and a new file with its number has another one")
    func identityIsThatOfTheFile() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "1") }
        let old = try #require(app.listing?.entries.first)
        app.scene.step(
            "rename", { app.scene.move(app.path("a"), app.path("b")) },
            until: { app.names == ["b"] && app.listing?.entries.first?.identity == old.identity })
        app.scene.step(
            "replace",
            {
                app.scene.remove(app.path("b"))
                app.scene.write(app.path("c"), "1")
            }, until: { app.names == ["c"] && app.listing?.entries.first?.identity != old.identity })
        try app.scene.play()
    }

    @Test("B175: a file that is being written keeps its last state until it is closed")
    func writtenFileIsTakenOnceClosed() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "1") }
        let before = try #require(app.listing)
        var descriptor: Int32 = -1
        app.scene.quiet("write", for: .milliseconds(300)) {
            descriptor = app.scene.open(app.path("a"), writing: [])
            for _ in 0..<100 { app.scene.append([1, 2, 3], to: descriptor) }
        }
        app.scene.step("close", { close(descriptor) }, until: { app.listing != before })
        try app.scene.play()
        #expect(app.scene.readings.count == 2)
    }

    @Test("a file that stays open is taken when it is no longer written") func openFileIsTakenAfterAWhile() throws {
        let app = try FoldersScene()
        var descriptor: Int32 = -1
        app.scene.step(
            "write", { descriptor = app.scene.open(app.path("log"), writing: [1]) }, until: { app.names == ["log"] })
        try app.scene.play()
        close(descriptor)
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

    @Test("without folders nothing is opened") func nothingIsOpenedWithoutFolders() throws {
        let scene = try Scene()
        let before = try DirectoryListing.files(in: "/proc/self/fd").count
        let watcher = try FoldersWatcher(
            loop: scene.loop, folders: [], settings: FileSettings(paths: [], root: scene.root, home: "/"),
            context: scene.context)
        watcher.pace = .live
        #expect(try DirectoryListing.files(in: "/proc/self/fd").count == before)
        #expect(watcher.source == .unavailable("no folders are configured"))
        #expect(scene.readings.isEmpty)
    }
}
