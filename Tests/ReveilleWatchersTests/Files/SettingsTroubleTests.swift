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

    @Test("a file beyond a limit is opaque, and its changes are reported, until it is within the limit again")
    func filesBeyondALimitAreOpaque() throws {
        let app = try makeApp()
        let scene = app.scene
        let values = "{" + (0...SettingsValue.countLimit).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let ways: [(String, () -> Void)] = [
            ("too long", { #expect(truncate(scene.at(Self.file), 50 << 20) == 0) }),
            ("still too long", { #expect(truncate(scene.at(Self.file), 49 << 20) == 0) }),
            ("too many values", { scene.write(Self.file, values) }),
            ("still too many values", { scene.write(Self.file, values + " ") }),
        ]
        for (count, (name, change)) in ways.enumerated() {
            scene.step(name, change, until: { scene.readings.count == count + 2 })
            scene.step(name + " is opaque", { #expect(app.reading.domains.map(\.isOpaque) == [true]) }, until: { true })
        }
        scene.step("shrink", { scene.write(Self.file, "{\"b\":1}") }, until: { app.keys == ["settings": ["b"]] })
        try scene.play()
        #expect(
            scene.warnings == [
                "\(Self.file): longer than the limit of \(DefaultsWatcher.sizeLimit) bytes; only its changes are reported"
            ])
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
