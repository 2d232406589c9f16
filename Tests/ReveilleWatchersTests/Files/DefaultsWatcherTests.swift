// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct DefaultsWatcherTests {
    private static let file = "/home/u/.config/app/settings.json"
    private static let two = SettingsValue.integer(2).fingerprint

    private func makeApp(_ text: String? = "{\"a\":1}") throws -> DefaultsScene {
        try DefaultsScene(paths: ["~/.config/app/settings.json"]) { scene in
            if let text { scene.write(Self.file, text) }
        }
    }

    @Test func directoryIsReadAsItsSettingsFiles() throws {
        let app = try DefaultsScene { scene in
            scene.write("/home/u/.config/a.plist", "<plist><dict><key>k</key><true/></dict></plist>")
            scene.write("/home/u/.config/b.json", "{\"k\":1}")
            scene.write("/home/u/.config/c.ini", "[g]\nk=1\n")
            scene.write("/home/u/.config/d.conf", "no keyfile at all\n")
            scene.write("/home/u/.config/kwinrc", "[g]\nk=1\n")
            scene.write("/home/u/.config/kdeglobals", "[g]\nk=1\n")
            scene.write("/home/u/.config/noise", "x")
            scene.write("/home/u/.config/x.yaml", "k: 1")
            scene.write("/home/u/.config/x.json~", "{}")
            scene.write("/home/u/.config/app/deep.json", "{}")
            scene.makeDirectory("/home/u/.config/dir.json")
            #expect(mkfifo(scene.at("/home/u/.config/pipe.json"), 0o600) == 0)
        }
        #expect(
            app.keys == ["a": ["k"], "b": ["k"], "c": ["g/k"], "d": [], "kwinrc": ["g/k"], "kdeglobals": ["g/k"]])
        #expect(app.reading.domains.first { $0.name == "d" }?.isOpaque == true)
        #expect(app.reading.domains.map(\.path).allSatisfy { $0.hasPrefix(app.scene.at("/home/u/.config/")) })
        #expect(app.scene.warnings == [])
        #expect(
            app.watcher.examine().findings.contains {
                $0.name == app.scene.at("/home/u/.config") && $0.value == "directory, with 2 other files"
            })
    }

    @Test func everyWayOfWritingCausesOneReading() throws {
        let app = try makeApp()
        let scene = app.scene
        let ways: [(String) -> Void] = [
            { scene.write(Self.file, $0) }, { scene.replace(Self.file, $0) },
            { text in
                scene.move(Self.file, Self.file + "~")
                scene.write(Self.file, text)
                scene.remove(Self.file + "~")
            },
            { text in
                scene.remove(Self.file)
                scene.write(Self.file, text)
            },
            { text in
                scene.write(Self.file + ".lock", "1")
                scene.replace(Self.file, text)
                scene.remove(Self.file + ".lock")
            },
        ]
        for (count, write) in ways.enumerated() {
            let value = SettingsValue.integer(Int128(count + 10)).fingerprint
            scene.step(
                "way \(count)", { write("{\"a\":\(count + 10)}") }, until: { app.fingerprint("settings", "a") == value }
            )
        }
        scene.quiet("nothing follows") {}
        try scene.play()
        #expect(scene.readings.count == 6)
    }

    @Test func equivalentContentCausesNoReading() throws {
        let app = try makeApp("{\"a\":1,\"b\":2}")
        app.scene.quiet("equal bytes") { app.scene.replace(Self.file, "{\"a\":1,\"b\":2}") }
        app.scene.quiet("equal values") { app.scene.write(Self.file, "{ \"b\": 2.0,\n \"a\": 1 }") }
        app.scene.quiet("touch") { app.scene.touch(Self.file) }
        app.scene.quiet("delete and recreate") {
            app.scene.remove(Self.file)
            app.scene.write(Self.file, "{\"a\":1,\"b\":2}")
        }
        try app.scene.play()
        #expect(app.watcher.source == .available(app.scene.at(Self.file)))
    }

    @Test func writingInChunksCausesOneReading() throws {
        let app = try makeApp()
        var descriptor: Int32 = -1
        app.scene.quiet("truncate", for: .milliseconds(300)) {
            descriptor = app.scene.open(Self.file, writing: [])
        }
        app.scene.quiet("half", for: .milliseconds(100)) { app.scene.append(Array("{\"a\"".utf8), to: descriptor) }
        app.scene.step(
            "end",
            {
                app.scene.append(Array(":2}".utf8), to: descriptor)
                close(descriptor)
            }, until: { app.fingerprint("settings", "a") == Self.two })
        try app.scene.play()
        #expect(app.scene.readings.count == 2)
    }

    @Test func deletedFileKeepsItsKeysForTheGracePeriod() throws {
        let app = try makeApp()
        app.scene.quiet("delete", for: .milliseconds(200)) { app.scene.remove(Self.file) }
        app.scene.step("grace period", {}, until: { app.keys == [:] })
        app.scene.step(
            "recreate", { app.scene.write(Self.file, "{\"a\":2}") }, until: { app.keys == ["settings": ["a"]] })
        app.scene.step("empty", { app.scene.write(Self.file, "") }, until: { app.keys == ["settings": []] })
        try app.scene.play()
        #expect(app.scene.readings.count == 4)
    }

    @Test func invalidFileKeepsItsKeysAndIsReportedOnce() throws {
        let app = try makeApp()
        app.scene.step("break", { app.scene.write(Self.file, "{\"a\":") }, until: { app.scene.warnings.count == 1 })
        app.scene.quiet("break again") { app.scene.replace(Self.file, "{\"b\":") }
        app.scene.step("mend", { app.scene.write(Self.file, "{\"b\":1}") }, until: { app.keys == ["settings": ["b"]] })
        try app.scene.play()
        #expect(app.scene.warnings == ["\(Self.file): line 1: unexpected end; the previous values are kept"])
        #expect(app.scene.readings.count == 2)
    }

    @Test func fileThatWasNeverValidIsOpaqueUntilItIs() throws {
        let app = try makeApp("{\"a\":")
        func isOpaque() -> Bool { app.reading.domains.map(\.isOpaque) == [true] }
        #expect(isOpaque())
        let before = app.reading
        app.scene.step(
            "break otherwise", { app.scene.replace(Self.file, "{\"b\":") },
            until: { isOpaque() && app.reading != before })
        app.scene.step("mend", { app.scene.write(Self.file, "{\"b\":1}") }, until: { app.keys == ["settings": ["b"]] })
        try app.scene.play()
        #expect(!isOpaque())
        #expect(app.scene.warnings.last == "\(Self.file): line 1: unexpected end; only its changes are reported")
    }

    @Test func filesAndDirectoriesMayBeCreatedLater() throws {
        let app = try DefaultsScene(paths: ["~/later/app/settings.json", "~/dir"])
        #expect(
            app.watcher.source
                == .unavailable(
                    "no settings file in "
                        + ["/home/u/later/app/settings.json", "/home/u/dir"].map(app.scene.at).joined(separator: ", ")))
        app.scene.step(
            "all at once",
            {
                app.scene.makeDirectory("/home/u/later/app")
                app.scene.write("/home/u/later/app/settings.json", "{\"a\":1}")
            }, until: { app.keys == ["settings": ["a"]] })
        app.scene.step(
            "a directory",
            {
                app.scene.makeDirectory("/home/u/dir")
                app.scene.write("/home/u/dir/x.ini", "[a]\nx=1\n")
            }, until: { app.keys == ["settings": ["a"], "x": ["a/x"]] })
        app.scene.step(
            "another file in it", { app.scene.replace("/home/u/dir/y.ini", "y=1\n") },
            until: { app.keys["y"] == ["y"] })
        app.scene.step("remove", { app.scene.remove("/home/u/dir/x.ini") }, until: { app.keys["x"] == nil })
        app.scene.step(
            "recreate", { app.scene.write("/home/u/dir/x.ini", "[a]\nz=1\n") }, until: { app.keys["x"] == ["a/z"] })
        try app.scene.play()
    }

    @Test func movedAndRecreatedDirectoryIsFollowed() throws {
        for path in ["~/.config/app/settings.json", "~/.config/app"] {
            let app = try DefaultsScene(paths: [path]) { $0.write(Self.file, "{\"a\":1}") }
            app.scene.step(
                "move the directory",
                {
                    app.scene.move("/home/u/.config/app", "/home/u/.config/app.bak")
                    app.scene.makeDirectory("/home/u/.config/app")
                    app.scene.write(Self.file, "{\"a\":2}")
                }, until: { app.fingerprint("settings", "a") == Self.two })
            app.scene.quiet("the moved directory is no longer watched") {
                app.scene.write("/home/u/.config/app.bak/settings.json", "{\"b\":2}")
            }
            app.scene.step(
                "move a parent directory", { app.scene.move("/home/u", "/home/v") }, until: { app.keys == [:] })
            app.scene.step(
                "move it back", { app.scene.move("/home/v", "/home/u") },
                until: { app.fingerprint("settings", "a") == Self.two })
            try app.scene.play()
        }
    }

    @Test func directoryInPlaceOfAFileIsReadAsItsFiles() throws {
        let app = try makeApp()
        app.scene.step(
            "a directory",
            {
                app.scene.remove(Self.file)
                app.scene.makeDirectory(Self.file)
                app.scene.write(Self.file + "/x.json", "{\"x\":1}")
            }, until: { app.keys == ["x": ["x"]] })
        try app.scene.play()
    }

    @Test func equivalentPathsAreReadOnce() throws {
        let app = try DefaultsScene(paths: ["~/.config//app/", "/home/u/.config/./app", "~/.config/app/settings.json"])
        {
            $0.write(Self.file, "{\"a\":1}")
        }
        #expect(app.reading.domains.map(\.path) == [app.scene.at(Self.file)])
    }

    @Test func noPathsMeansNoSource() throws {
        let app = try DefaultsScene(paths: [])
        #expect(app.reading.domains == [])
        #expect(app.watcher.source == .unavailable("no paths are configured"))
        #expect(app.watcher.examine().advice.count == 1)
    }
}
