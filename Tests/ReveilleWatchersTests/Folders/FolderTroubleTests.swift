// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

/// Folders that are missing, replaced, too large or no folders.
@Suite(.timeLimit(.minutes(10))) struct FolderTroubleTests {
    @Test("B179: a folder that is replaced is compared with its replacement, and watched again")
    func replacedFolderIsCompared() throws {
        let app = try FoldersScene { scene in
            for name in ["a", "b"] { scene.write("/home/u/Documents/" + name, "") }
        }
        app.scene.step(
            "replace",
            {
                app.scene.move(FoldersScene.folder, "/home/u/old")
                app.scene.makeDirectory(FoldersScene.folder)
                app.scene.write(app.path("b"), "")
                app.scene.write(app.path("c"), "")
            }, until: { app.names == ["b", "c"] })
        app.scene.step("make", { app.scene.write(app.path("d"), "") }, until: { app.names == ["b", "c", "d"] })
        try app.scene.play()
        #expect(app.scene.readings.count == 3)
    }

    @Test("B179: a folder that is away for less than the grace period has not changed")
    func shortAbsenceIsNoChange() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "") }
        app.scene.quiet("move") {
            app.scene.move(FoldersScene.folder, "/home/u/old")
            app.scene.move("/home/u/old", FoldersScene.folder)
        }
        app.scene.step("make", { app.scene.write(app.path("b"), "") }, until: { app.names == ["a", "b"] })
        try app.scene.play()
    }

    @Test("B179: a folder that is removed has no names, and is watched again when it comes back")
    func removedFolderHasNoNames() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "") }
        app.scene.step(
            "remove", { app.scene.move(FoldersScene.folder, "/home/u/old") }, until: { app.names == [] })
        app.scene.step("back", { app.scene.move("/home/u/old", FoldersScene.folder) }, until: { app.names == ["a"] })
        app.scene.step("make", { app.scene.write(app.path("b"), "") }, until: { app.names == ["a", "b"] })
        try app.scene.play()
        #expect(app.scene.warnings == ["/home/u/Documents: no such folder"])
    }

    @Test(arguments: ["file", "pipe", "dangling link", "loop"]) func whatIsNoFolderIsReported(kind: String) throws {
        let app = try FoldersScene { scene in
            let path = scene.at(FoldersScene.folder)
            rmdir(path)
            switch kind {
            case "file": scene.write(FoldersScene.folder, "")
            case "pipe": mkfifo(path, 0o644)
            case "loop": symlink("Documents", path)
            default: symlink("nowhere", path)
            }
        }
        #expect(app.names == [])
        #expect(app.scene.warnings.count == 1)
        #expect(app.watcher.examine().advice.count == 1)
        app.scene.step(
            "repair",
            {
                app.scene.remove(FoldersScene.folder)
                app.scene.makeDirectory(FoldersScene.folder)
                app.scene.write(app.path("a"), "")
            }, until: { app.names == ["a"] })
        try app.scene.play()
    }

    @Test("a folder that cannot be read keeps its names", .enabled(if: geteuid() != 0, "root reads everything"))
    func unreadableFolderKeepsItsNames() throws {
        let app = try FoldersScene { $0.write("/home/u/Documents/a", "") }
        app.scene.quiet("000") { app.scene.changeMode(FoldersScene.folder, 0) }
        app.scene.step(
            "700",
            {
                app.scene.changeMode(FoldersScene.folder, 0o700)
                app.scene.write(app.path("b"), "")
            }, until: { app.names == ["a", "b"] })
        try app.scene.play()
    }

    @Test("of 10,001 names 10,000 are listed, and the log states how many are not")
    func largeFolderIsCut() throws {
        let limit = FolderListing.nameLimit
        let app = try FoldersScene { scene in
            for index in 0...limit { scene.write("/home/u/Documents/f\(index)", "") }
        }
        #expect(app.listing?.isCut == true)
        #expect(app.names?.count == limit)
        #expect(app.scene.warnings.first?.contains("has 10001 names") == true)
        #expect(app.scene.warnings.first?.contains("1 are not listed") == true)
        let before = app.listing
        app.scene.step("change", { app.scene.write(app.path("f7"), "x") }, until: { app.listing != before })
        app.scene.step(
            "remove", { for index in 0...500 { app.scene.remove(app.path("f\(index)")) } },
            until: { app.listing?.isCut == false })
        try app.scene.play()
        #expect(app.names?.count == limit - 500)
    }

    @Test("a scan of a large folder takes several turns") func scanTakesTurns() throws {
        let scene = try Scene()
        for index in 0..<100 { scene.write("/f\(index)", "") }
        let scan = FolderScan(of: PathChain(following: "/", root: scene.root))
        var turns = 1
        while scan.advance(while: { false }) == nil { turns += 1 }
        #expect(turns == 101)
    }
}
