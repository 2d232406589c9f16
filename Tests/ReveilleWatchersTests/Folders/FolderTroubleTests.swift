// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

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
        app.scene.step(
            "repair",
            {
                #expect(app.names == [])
                #expect(app.scene.warnings.count == 1)
                #expect(app.watcher.examine().advice.count == 1)
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
        var before: FolderListing?
        app.scene.step(
            "change",
            {
                before = app.listing
                #expect(before?.isCut == true)
                #expect(app.names?.count == limit)
                #expect(app.scene.warnings.first?.contains("has 10001 names") == true)
                #expect(app.scene.warnings.first?.contains("1 are not listed") == true)
                app.scene.write(app.path("f7"), "x")
            }, until: { app.listing != before })
        app.scene.step(
            "remove", { for index in 0...500 { app.scene.remove(app.path("f\(index)")) } },
            until: { app.listing?.isCut == false })
        try app.scene.play()
        #expect(app.names?.count == limit - 500)
    }

    @Test("a folder with too many names that cannot be read later is logged once") func unreadableCutFolderIsLogged()
        throws
    {
        let scene = try Scene()
        let status = try DirectoryScan(of: scene.root).status
        var folder = WatchedFolder(
            ConfiguredFolder(name: "d", path: "/d"), settings: FileSettings(paths: [], root: scene.root, home: "/"))
        let entries = (0..<FolderListing.nameLimit).map {
            FolderEntry(name: EntryName(escaped: "f\($0)"), identity: UInt64($0), stamp: 0)
        }
        var problems: [String?] = []
        func take(_ outcome: FolderScan.Outcome) {
            let now = Instant(microseconds: Int64(problems.count) * 1_000_000)
            _ = folder.take(outcome, start: now, at: now)
            problems.append(folder.newProblem())
        }
        let sorted = SortedEntries(entries)
        take(.entries(sorted, count: entries.count + 1, of: status))
        take(.entries(sorted, count: entries.count + 2, of: status))
        take(.failed("no"))
        take(.failed("no"))
        #expect(problems[0]?.contains("has 10001 names") == true)
        #expect(problems[1...] == [nil, "no", nil])
        #expect(folder.listing.isCut)
    }

    @Test("a scan of a large folder takes several turns") func scanTakesTurns() throws {
        let scene = try Scene()
        for index in 0..<100 { scene.write("/f\(index)", "") }
        let way = PathChain(following: "/", root: scene.root)
        var scan = FolderScan(of: way, known: SortedEntries([]))
        var turns = 1
        var outcome: FolderScan.Outcome?
        while outcome == nil {
            outcome = scan.advance { false }
            turns += 1
        }
        guard case .entries(let entries, _, _) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(entries.entries.count == 100)
        #expect(turns > 101, "sorting takes turns too")
        scan = FolderScan(of: way, known: entries)
        var turnsOfSecond = 1
        while scan.advance(while: { false }) == nil { turnsOfSecond += 1 }
        #expect(turnsOfSecond < turns, "what has not changed is not sorted again")
    }
}
