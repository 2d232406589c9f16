// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

/// Databases that the real dconf makes and changes.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: Dconf.isThere || Dconf.isRequired, "no dconf in .build-dconf; Scripts/setup test unpacks it"))
struct DconfTests {
    private static let file = "/home/u/.config/dconf/user"
    private static let scheme = "/org/gnome/desktop/interface/color-scheme"
    private static let region = "/org/gnome/system/locale/region"

    @Test func eachWriteChangesItsKeyAlone() throws {
        let app = try DefaultsScene(paths: ["~/.config/dconf/user"])
        let scene = app.scene
        let dconf = try Dconf(in: scene)
        scene.step("the database appears", {}, until: { app.keys == ["user": ["/reveille/ready"]] })
        scene.step(
            "a key", { dconf.run("write", Self.scheme, "'prefer-dark'") },
            until: { app.keys == ["user": [Self.scheme, "/reveille/ready"]] })
        var before: [UInt64?] = []
        scene.step(
            "another value",
            {
                before = [Self.scheme, "/reveille/ready"].map { app.fingerprint("user", $0) }
                dconf.run("write", Self.scheme, "'default'")
            }, until: { app.fingerprint("user", Self.scheme) != before[0] })
        scene.quiet("the same value") { dconf.run("write", Self.scheme, "'default'") }
        scene.step(
            "the first value again", { dconf.run("write", Self.scheme, "'prefer-dark'") },
            until: { [Self.scheme, "/reveille/ready"].map { app.fingerprint("user", $0) } == before })
        scene.step("no keys", { dconf.run("reset", "-f", "/") }, until: { app.keys == ["user": []] })
        try scene.play()
        #expect(app.reading.domains.map(\.isOpaque) == [false])
        #expect(scene.warnings == [])
    }

    @Test func systemDatabasesAreDomainsOfTheirOwn() throws {
        let app = try DefaultsScene(paths: ["/etc/dconf/db"]) { scene in
            for name in ["local", "site"] { scene.makeDirectory("/etc/dconf/db/\(name).d") }
            scene.write("/etc/dconf/db/local.d/00", "[org/a]\nb=1\n")
            scene.write("/etc/dconf/db/site.d/00", "[org/a]\nc='x'\n")
        }
        let scene = app.scene
        for name in ["local", "site"] {
            scene.step(
                name,
                {
                    let path = scene.at("/etc/dconf/db/" + name)
                    #expect(throws: Never.self) { try Dconf.compile(path + ".d", to: path) }
                }, until: { app.keys[name] != nil })
        }
        try scene.play()
        #expect(app.keys == ["local": ["/org/a/b"], "site": ["/org/a/c"]])
    }

    @Test func swappedDatabaseHasTheKeysOfTheOriginal() throws {
        let files = try ["compiled", "swapped"].map { name in
            let path = Dconf.corpus + name
            guard case .bytes(let bytes) = FileContents.read(path, limit: 1 << 20) else { throw Dconf.Missing() }
            return try DconfDatabase(bytes).values().mapValues { Array($0) }
        }
        #expect(files[0] == files[1])
        #expect(files[0].count == 6)
    }

    @Test func formatsFollowTheRegion() throws {
        let scene = try Scene()
        scene.makeDirectory("/home/u/.config")
        scene.makeDirectory("/etc")
        scene.write("/etc/locale.conf", "LANG=it_IT\n")
        let settings = FileSettings(
            paths: LocaleWatcher.usualPaths(home: "/home/u", configHome: nil), root: scene.root, home: "/home/u")
        let watcher = try LocaleWatcher(loop: scene.loop, settings: settings, context: scene.context)
        watcher.pace = .live
        var locale: LocaleSettings? {
            if case .locale(let reading)? = scene.readings.last { reading } else { nil }
        }
        let dconf = try Dconf(in: scene)
        let italian = locale
        scene.step(
            "a region", { dconf.run("write", Self.region, "'de_DE.UTF-8'") }, until: { locale?.time == "de_DE" })
        scene.quiet("another key") {
            #expect(
                locale
                    == LocaleSettings(
                        identifier: "it_IT", languages: ["it-IT"], numeric: "de_DE", time: "de_DE", monetary: "de_DE",
                        measurement: "de_DE"))
            #expect(watcher.source == .available(scene.at("/etc/locale.conf") + ", " + scene.at(Self.file)))
            dconf.run("write", Self.scheme, "'prefer-dark'")
        }
        scene.step(
            "Plasma's formats",
            { scene.write("/home/u/.config/plasma-localerc", "[Formats]\nLC_TIME=fr_FR\n") },
            until: { locale?.time == "fr_FR" && locale?.numeric == "de_DE" })
        scene.step(
            "no formats of Plasma", { scene.remove("/home/u/.config/plasma-localerc") },
            until: { locale?.time == "de_DE" })
        scene.step("no region", { dconf.run("write", Self.region, "''") }, until: { locale == italian })
        try scene.play()
    }
}
