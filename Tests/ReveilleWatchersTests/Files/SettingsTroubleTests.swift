// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct SettingsTroubleTests {
    private static let file = "/home/u/.config/app/settings.json"

    private func makeApp() throws -> DefaultsScene {
        try DefaultsScene(paths: ["~/.config/app/settings.json"]) { $0.write(Self.file, "{\"a\":1}") }
    }

    @Test func oversizedFileIsReportedAndKeepsItsKeys() throws {
        let app = try makeApp()
        app.scene.step(
            "grow", { #expect(truncate(app.scene.at(Self.file), 50 << 20) == 0) },
            until: { app.scene.warnings.count == 1 })
        try app.scene.play()
        let limit = DefaultsWatcher.sizeLimit
        #expect(
            app.scene.warnings == [
                "\(Self.file): longer than the limit of \(limit) bytes; the previous values are kept"
            ])
        #expect(app.scene.readings.count == 1)
        #expect(app.watcher.examine().advice.count == 1)
    }

    @Test func pipeInPlaceOfAFileDoesNotBlock() throws {
        let app = try makeApp()
        app.scene.step(
            "a pipe",
            {
                app.scene.remove(Self.file)
                #expect(mkfifo(app.scene.at(Self.file), 0o600) == 0)
            }, until: { app.scene.warnings.count == 1 })
        try app.scene.play()
        #expect(app.scene.warnings.first == "\(Self.file): not a regular file; the previous values are kept")
    }

    @Test(.enabled(if: geteuid() != 0, "root can read any file"))
    func unreadableFileKeepsItsKeys() throws {
        let app = try makeApp()
        app.scene.step("chmod 000", { app.scene.changeMode(Self.file, 0) }, until: { app.scene.warnings.count == 1 })
        app.scene.step(
            "change, then chmod 644",
            {
                app.scene.changeMode(Self.file, 0o600)
                app.scene.write(Self.file, "{\"b\":1}")
            }, until: { app.keys == ["settings": ["b"]] })
        try app.scene.play()
    }

    @Test func overflowOfTheQueueCausesARescan() throws {
        let app = try makeApp()
        let limit = try #require(Self.queueLimit)
        try #require(limit < 200_000, "the queue is too long to overflow")
        app.scene.step(
            "flood",
            {
                for index in 0..<(limit / 2 + 500) {
                    let name = app.scene.at("/home/u/.config/app/.flood\(index)")
                    close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
                    unlink(name)
                }
                app.scene.write(Self.file, "{\"b\":1}")
            }, until: { app.keys == ["settings": ["b"]] })
        try app.scene.play()
        #expect(app.scene.overflows == 1)
        #expect(app.scene.readings.count == 2)
    }

    static var queueLimit: Int? {
        guard case .bytes(let bytes) = FileContents.read("/proc/sys/fs/inotify/max_queued_events", limit: 100) else {
            return nil
        }
        return Int(String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined())
    }

    @Test func refreshReadsTheCurrentContent() throws {
        let app = try makeApp()
        var completions = 0
        app.scene.write(Self.file, "{\"b\":1}")
        app.watcher.refresh { completions += 1 }
        #expect(app.keys == ["settings": ["b"]])
        app.scene.remove(Self.file)
        app.watcher.refresh { completions += 1 }
        #expect(app.keys == [:])
        app.scene.write(Self.file, "{\"b\":")
        app.watcher.refresh { completions += 1 }
        #expect(completions == 3)
    }
}
