// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

/// Settings in the folders of programs, with the paths that the shipped configuration watches.
@Suite(.timeLimit(.minutes(10))) struct ProgramFoldersTests {
    private static let paths = ["~/.config", "~/.config/*"]
    private static let config = "/home/u/.config/"

    private func makeHome(_ prepare: (Scene) -> Void = { _ in }) throws -> DefaultsScene {
        try DefaultsScene(paths: Self.paths, prepare)
    }

    @Test func filesOneLevelBelowAreDomainsOfTheirPrograms() throws {
        let home = try makeHome { scene in
            scene.write(Self.config + "kwinrc", "[g]\nk=1\n")
            scene.write(Self.config + "app/settings.json", "{\"a\":1}")
            scene.makeDirectory(Self.config + "gtk-3.0/deep")
            scene.write(Self.config + "gtk-3.0/settings.ini", "[Settings]\nx=1\n")
            scene.write(Self.config + "gtk-3.0/gtk.css", "* {}")
            scene.write(Self.config + "gtk-3.0/deep/x.json", "{}")
            scene.makeDirectory(Self.config + "dconf")
            scene.write(Self.config + "dconf/user", DamagedDconfTests.oneKey)
            scene.write(Self.config + "dconf/other", DamagedDconfTests.oneKey)
        }
        #expect(
            home.keys == [
                "kwinrc": ["g/k"], "app/settings": ["a"], "gtk-3.0/settings": ["Settings/x"], "dconf": ["/a"],
                "dconf/other": ["/a"],
            ])
        let root = home.scene.at("/home/u/.config")
        #expect(home.watcher.source == .available("\(root)/kwinrc, 4 files in the folders of \(root)"))
        let findings = home.watcher.examine().findings
        #expect(findings.contains { $0.name == root + "/gtk-3.0" && $0.value == "directory, with 1 other file" })
        #expect(findings.contains { $0.name == root + "/app/settings.json" && $0.value == "keys a" })
        #expect(home.scene.warnings == [])
    }

    @Test func noTwoDomainsHaveOneName() throws {
        let home = try makeHome { scene in
            for name in ["x.ini", "x.conf", "x.json"] { scene.write(Self.config + "app/" + name, "") }
            scene.makeDirectory(Self.config + "dconf")
            scene.write(Self.config + "dconf/user", DamagedDconfTests.oneKey)
            scene.write(Self.config + "dconf.ini", "")
        }
        #expect(home.keys.keys.sorted() == ["app/x", "app/x.ini", "app/x.json", "dconf", "dconf/user"])
    }

    @Test func foldersMayComeGoAndBeLinks() throws {
        let home = try makeHome { scene in
            scene.makeDirectory("/home/u/dotfiles/app.one")
            scene.makeDirectory("/store")
            scene.write("/home/u/dotfiles/app.one/a.json", "{\"stow\":1}")
            scene.write("/store/1.json", "{\"one\":1}")
            scene.write("/store/2.json", "{\"two\":1}")
        }
        let scene = home.scene
        scene.step(
            "a program is installed",
            {
                scene.makeDirectory(Self.config + "new.app")
                scene.write(Self.config + "new.app/settings.json", "{\"a\":1}")
            }, until: { home.keys == ["new.app/settings": ["a"]] })
        scene.step(
            "its settings change", { scene.replace(Self.config + "new.app/settings.json", "{\"b\":1}") },
            until: { home.keys == ["new.app/settings": ["b"]] })
        scene.step(
            "the folder is moved", { scene.move(Self.config + "new.app", Self.config + "old.app") },
            until: { home.keys == ["old.app/settings": ["b"]] })
        scene.step(
            "a link to a folder", { scene.link(Self.config + "app.one", to: "../dotfiles/app.one") },
            until: { home.keys["app.one/a"] == ["stow"] })
        scene.step(
            "its target changes", { scene.write("/home/u/dotfiles/app.one/a.json", "{\"in place\":1}") },
            until: { home.keys["app.one/a"] == ["in place"] })
        scene.step(
            "a link to a file", { scene.link(Self.config + "app/s.json", to: "/store/1.json") },
            until: { home.keys["app/s"] == ["one"] })
        scene.step(
            "another generation", { scene.link(Self.config + "app/s.json", to: "/store/2.json") },
            until: { home.keys["app/s"] == ["two"] })
        scene.step(
            "all go",
            {
                scene.remove(Self.config + "app.one")
                scene.remove(Self.config + "app/s.json")
                scene.remove(Self.config + "old.app/settings.json")
                rmdir(scene.at(Self.config + "old.app"))
            }, until: { home.keys == [:] })
        try scene.play()
        #expect(scene.warnings == [])
    }

    @Test func linkToAnotherFileIsNotRead() throws {
        let home = try makeHome { scene in
            scene.write("/x.yaml", "a: 1")
            scene.link(Self.config + "x.yaml", to: "/x.yaml")
        }
        #expect(home.keys == [:])
        home.scene.quiet("a change") { home.scene.write("/x.yaml", "a: 2") }
        try home.scene.play()
    }

    @Test func folderThatChangesOftenIsReadWhenSomebodyAsks() throws {
        let home = try makeHome { $0.write(Self.config + "app/settings.json", "{\"a\":1}") }
        let (scene, watcher) = (home.scene, home.watcher)
        #expect(!watcher.mayLag)
        var writes = 0
        scene.step(
            "a cache changes all the time", {},
            until: {
                scene.write(Self.config + "app/cache.db", "\(writes)")
                writes += 1
                return watcher.mayLag
            })
        let root = scene.at("/home/u/.config")
        scene.quiet("the folder is left") {
            #expect(
                watcher.source
                    == .available(
                        "1 file in the folders of \(root), read rarely, since they change often: \(root)/app"))
            scene.replace(Self.config + "app/settings.json", "{\"b\":1}")
        }
        scene.step(
            "somebody asks", { watcher.update {} }, until: { home.keys == ["app/settings": ["b"]] && watcher.mayLag })
        scene.step("a new file", { scene.write(Self.config + "app/new.json", "{}") }, until: { true })
        scene.step(
            "somebody refreshes", { watcher.refresh {} }, until: { home.keys["app/new"] == [] && watcher.mayLag })
        scene.step(
            "the folder goes",
            {
                scene.move(Self.config + "app", "/gone")
            }, until: { home.keys == [:] && !watcher.mayLag })
        scene.step(
            "it comes back", { scene.move("/gone", Self.config + "app") },
            until: { home.keys == ["app/settings": ["b"], "app/new": []] })
        try scene.play()
        #expect(!watcher.mayLag)
    }

    @Test func folderWithTooManyFilesIsCut() throws {
        let home = try makeHome { scene in
            for number in 0..<105 { scene.write(Self.config + "app/\(number).json", "{}") }
        }
        #expect(home.keys.count == 100)
        #expect(
            home.scene.warnings == [Self.config + "app: has more than 100 files; the others are ignored"])
    }
}

/// The table of files as a value, with time as an argument.
@Suite struct LeftFolderTests {
    private static let start = Instant(microseconds: 1_000_000)

    @Test func leftFolderIsNotWatchedUntilItsPauseEnds() throws {
        let scene = try Scene()
        scene.makeDirectory("/c/app")
        scene.write("/c/app/a.json", "1")
        let format = FileFormat<Int>(
            sizeLimit: { _ in 100 }, membership: { $0.hasSuffix(".json") ? .yes : .no },
            parse: { _, _, bytes, _ in bytes.count })
        let timing = FileSettling.Timing(readDelay: .zero, deletionGrace: .zero)
        var table = FileTable(paths: ["/c/*"], root: scene.root, timing: timing, format: format)
        #expect(table.readAll(at: Self.start).appeared == ["/c/app"])
        _ = table.readDue(at: Self.start)
        #expect(table.deadline == nil)

        var now = Self.start
        var effects = FileTable<Int>.Effects()
        while table.left.isEmpty {
            now = now + .seconds(1)
            effects = table.notice(.written, of: "log", in: "/c/app", at: now)
        }
        #expect(effects.disappeared == ["/c/app"])
        let end = try #require(table.deadline)
        #expect(table.readDue(at: now).appeared == [])

        scene.write("/c/app/a.json", "12")
        scene.write("/c/app/b.json", "123")
        #expect(table.readDue(at: end).appeared == ["/c/app"])
        #expect(table.left == [])
        for _ in 0..<2 { _ = table.readDue(at: end) }
        #expect(table.entries.values.compactMap(\.value).sorted() == [2, 3])
    }
}
