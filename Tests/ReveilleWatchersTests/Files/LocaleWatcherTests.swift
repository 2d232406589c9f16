// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct LocaleWatcherTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        scene.makeDirectory("/etc/default")
        scene.makeDirectory("/home/u")
    }

    private func makeWatcher(paths: [String]? = nil, configHome: String? = nil) throws -> LocaleWatcher {
        let home = "/home/u"
        let paths = paths ?? LocaleWatcher.usualPaths(home: home, configHome: configHome)
        let settings = FileSettings(paths: paths, root: scene.root, home: home)
        return try LocaleWatcher(loop: scene.loop, settings: settings, context: scene.context)
    }

    private var locale: LocaleSettings? {
        if case .locale(let reading)? = scene.readings.last { reading } else { nil }
    }

    private var identifier: String? { locale?.identifier }

    @Test func withoutFilesTheLocaleIsCWithAReason() throws {
        let watcher = try makeWatcher()
        watcher.pace = .live
        #expect(locale == .posix)
        let expected =
            "none of "
            + [
                "/home/u/.config/locale.conf", "/etc/locale.conf", "/etc/default/locale",
                "/home/u/.config/dconf/user", "/home/u/.config/plasma-localerc",
            ]
            .map(scene.at).joined(separator: ", ") + " sets a locale"
        #expect(watcher.source == .unavailable(expected))
        #expect(watcher.examine().advice.count == 1)
    }

    @Test func firstExistingFileIsUsed() throws {
        scene.write("/etc/locale.conf", "LANG=it_IT\n")
        scene.write("/etc/default/locale", "LANG=en_US\n")
        let watcher = try makeWatcher()
        watcher.pace = .live
        #expect(identifier == "it_IT")
        #expect(watcher.source == .available(scene.at("/etc/locale.conf")))
        scene.step("unlink", { scene.remove("/etc/locale.conf") }, until: { identifier == "en_US" })
        scene.step("in place", { scene.write("/etc/default/locale", "LANG=es_ES\n") }, until: { identifier == "es_ES" })
        scene.step(
            "the user's file, in a new directory",
            {
                scene.makeDirectory("/home/u/.config")
                scene.write("/home/u/.config/locale.conf", "LANG=cs_CZ\n")
            }, until: { identifier == "cs_CZ" })
        try scene.play()
        #expect(scene.readings.count == 4)
        #expect(scene.warnings == [])
    }

    @Test func plasmaOverridesTheFirstFile() throws {
        scene.makeDirectory("/cfg")
        scene.write("/etc/locale.conf", "LANG=it_IT\nLC_TIME=de_DE\n")
        scene.write("/cfg/plasma-localerc", "[Formats]\nLC_NUMERIC=fr_FR\n[Translations]\nLANGUAGE=it:en\n")
        let watcher = try makeWatcher(configHome: "/cfg")
        watcher.pace = .live
        let expected = LocaleSettings(
            identifier: "it_IT", languages: ["it", "en"], numeric: "fr_FR", time: "de_DE", monetary: "it_IT",
            measurement: "it_IT")
        #expect(locale == expected)
        #expect(watcher.source == .available(scene.at("/etc/locale.conf") + ", " + scene.at("/cfg/plasma-localerc")))
    }

    @Test func pamEnvironmentIsReadIfConfigured() throws {
        scene.write("/etc/locale.conf", "LANG=en_US\n")
        scene.write("/home/u/.pam_environment", "LANG DEFAULT=ru_RU.UTF-8\nLC_TIME=uk_UA\n")
        let watcher = try makeWatcher(paths: ["/etc/locale.conf", "~/.pam_environment"])
        watcher.pace = .live
        #expect(identifier == "ru_RU")
        #expect(locale?.time == "uk_UA")
        let usual = try makeWatcher()
        usual.pace = .live
        #expect(identifier == "en_US")
    }

    @Test func lcAllIsIgnoredInLocaleConf() throws {
        scene.write("/etc/locale.conf", "LANG=en_AU\nLC_ALL=zh_CN\n")
        let watcher = try makeWatcher()
        watcher.pace = .live
        #expect(identifier == "en_AU")
        scene.write("/etc/default/locale", "LANG=en_AU\nLC_ALL=zh_CN\n")
        scene.remove("/etc/locale.conf")
        var isDone = false
        watcher.refresh { isDone = true }
        #expect(isDone)
        #expect(identifier == "zh_CN")
    }

    @Test func invalidFileKeepsItsLastValuesAndIsReportedOnce() throws {
        scene.write("/etc/locale.conf", "LANG=en_US\n")
        let watcher = try makeWatcher()
        watcher.pace = .live
        let broken = Array("LANG=f".utf8) + [0xFF] + Array("_FR\n".utf8)
        scene.step("break", { scene.write("/etc/locale.conf", broken) }, until: { scene.warnings.count == 1 })
        scene.quiet("break again") { scene.write("/etc/locale.conf", broken + broken) }
        scene.step("mend", { scene.replace("/etc/locale.conf", "LANG=fr_FR\n") }, until: { identifier == "fr_FR" })
        scene.step("break", { scene.write("/etc/locale.conf", broken) }, until: { scene.warnings.count == 2 })
        try scene.play()
        #expect(scene.warnings.first == "/etc/locale.conf: not UTF-8; the previous values are kept")
        #expect(scene.readings.count == 2)
        #expect(
            watcher.examine().findings.contains { $0.name == scene.at("/etc/locale.conf") && $0.value == "not UTF-8" })
    }

    @Test func emptyFileIsTheCLocaleAfterTheGracePeriod() throws {
        scene.write("/etc/locale.conf", "LANG=en_US\n")
        let watcher = try makeWatcher()
        watcher.pace = .idle
        scene.quiet("empty for a moment", for: .milliseconds(700)) {
            let descriptor = scene.open("/etc/locale.conf", writing: [])
            scene.append(Array("LANG=en_US\n".utf8), to: descriptor)
            close(descriptor)
        }
        scene.step("empty", { scene.write("/etc/locale.conf", "") }, until: { locale == .posix })
        try scene.play()
        #expect(scene.readings.count == 2)
        #expect(watcher.source == .available(scene.at("/etc/locale.conf")))
    }

    @Test func paceOffReadsOnlyOnRefresh() throws {
        scene.write("/etc/locale.conf", "LANG=en_US\n")
        let watcher = try makeWatcher()
        #expect(watcher.source == .available(scene.at("/etc/locale.conf")))
        #expect(watcher.examine().findings.contains { $0.name == "identifier" && $0.value == "en_US" })
        scene.quiet("off") { scene.replace("/etc/locale.conf", "LANG=nl_NL\n") }
        scene.step("refresh", { watcher.refresh {} }, until: { identifier == "nl_NL" })
        scene.quiet("still off") { scene.replace("/etc/locale.conf", "LANG=sv_SE\n") }
        scene.step("on", { watcher.pace = .live }, until: { identifier == "sv_SE" })
        scene.quiet("idle is live") { watcher.pace = .idle }
        scene.step("off", { watcher.pace = .off }, until: { true })
        scene.quiet("off again") { scene.replace("/etc/locale.conf", "LANG=de_DE\n") }
        try scene.play()
        #expect(scene.readings.count == 2)
    }
}
