// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct SettingsLinksTests {
    private static let two = SettingsValue.integer(2).fingerprint

    @Test func linkIsFollowedWhenItsTargetChanges() throws {
        let app = try DefaultsScene(paths: ["~/.config/app/settings.json"]) { scene in
            scene.makeDirectory("/p")
            scene.write("/p/a.json", "{\"a\":1}")
            scene.write("/p/b.json", "{\"a\":2}")
            scene.link("/home/u/.config/app/settings.json", to: "../../../../p/a.json")
        }
        #expect(app.reading.domains.map(\.name) == ["settings"])
        app.scene.step(
            "another target", { app.scene.link("/home/u/.config/app/settings.json", to: "../../../../p/b.json") },
            until: { app.fingerprint("settings", "a") == Self.two })
        app.scene.quiet("the old target") { app.scene.write("/p/a.json", "{\"b\":1}") }
        app.scene.step(
            "the target is replaced", { app.scene.replace("/p/b.json", "{\"c\":1}") },
            until: { app.keys == ["settings": ["c"]] })
        app.scene.step(
            "a link with an absolute path, relative to the root",
            { app.scene.link("/home/u/.config/app/settings.json", to: "/p/a.json") },
            until: { app.keys == ["settings": ["b"]] })
        try app.scene.play()
    }

    @Test func mountedConfigMapIsFollowed() throws {
        for paths in [["/etc/config/settings.json"], ["/etc/config"]] {
            let app = try DefaultsScene(paths: paths) { scene in
                scene.makeDirectory("/etc/config/..2024_1")
                scene.write("/etc/config/..2024_1/settings.json", "{\"a\":1}")
                scene.link("/etc/config/..data", to: "..2024_1")
                scene.link("/etc/config/settings.json", to: "..data/settings.json")
            }
            #expect(app.keys == ["settings": ["a"]])
            for round in 2...3 {
                let value = SettingsValue.integer(Int128(round)).fingerprint
                app.scene.step(
                    "swap",
                    {
                        app.scene.makeDirectory("/etc/config/..2024_\(round)")
                        app.scene.write("/etc/config/..2024_\(round)/settings.json", "{\"a\":\(round)}")
                        app.scene.link("/etc/config/..data", to: "..2024_\(round)")
                        try? FileManager.default.removeItem(atPath: app.scene.at("/etc/config/..2024_\(round - 1)"))
                    }, until: { app.fingerprint("settings", "a") == value })
            }
            app.scene.quiet("nothing follows") {}
            try app.scene.play()
            #expect(app.scene.readings.count == 3)
        }
    }

    @Test func targetMayBeCreatedAfterItsLink() throws {
        let app = try DefaultsScene(paths: ["~/.config/app/settings.json"])
        app.scene.quiet("a link to nothing") {
            app.scene.link("/home/u/.config/app/settings.json", to: "../data/x/settings.json")
        }
        app.scene.quiet("the directory") { app.scene.makeDirectory("/home/u/.config/data/x") }
        app.scene.step(
            "the file", { app.scene.write("/home/u/.config/data/x/settings.json", "{\"a\":1}") },
            until: { app.keys == ["settings": ["a"]] })
        try app.scene.play()
    }

    @Test func loopOfLinksIsReportedAndCanBeRepaired() throws {
        let app = try DefaultsScene(paths: ["~/.config/app/settings.json"]) { scene in
            scene.link("/home/u/.config/app/settings.json", to: "other.json")
            scene.link("/home/u/.config/app/other.json", to: "settings.json")
        }
        app.scene.step("read", {}, until: { app.scene.warnings.count == 1 })
        app.scene.step(
            "repair", { app.scene.replace("/home/u/.config/app/other.json", "{\"a\":1}") },
            until: { app.keys == ["settings": ["a"]] })
        try app.scene.play()
        #expect(app.scene.warnings.first?.contains("(ELOOP)") == true)
    }
}
