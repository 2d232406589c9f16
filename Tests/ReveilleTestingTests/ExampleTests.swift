// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import Testing

/// The example programs with a bus that is restarted or killed: each change is reported once.
@Suite(.timeLimit(.minutes(10))) struct ExampleTests {
    private let phone: SyntheticPhone
    private let bus: PhoneBus

    init() throws {
        phone = try SyntheticPhone()
        bus = try phone.startBus()
    }

    @Test("B126: the reminder is started when it is due, once for all firings, even after a kill of the bus")
    func reminderIsStarted() async throws {
        let file = phone.files + "/reminders"
        #expect(try await phone.run([ChildProcess.sibling("Reminder"), "1", file, "stretch"]).exitCode == 0)
        let device = try await Device.connect(to: bus.address)
        var lines: [Substring] = []
        for round in 1...2 {
            while lines.count < round {
                if case .bytes(let bytes) = FileContents.read(file, limit: 4_096) {
                    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                }
                poll(nil, 0, 5)
            }
            bus.kill()
            try bus.restart()
        }
        #expect(try await device.cancelScheduled("reminder"))
        #expect(lines.allSatisfy { $0.hasPrefix("stretch") })
        let times = lines.map { Int($0.split(separator: " ").dropFirst().first ?? "1") ?? 0 }
        #expect(times.allSatisfy { $0 >= 1 })
    }

    @Test func statusLineContinuesAfterARestart() throws {
        let line = try RunningExample("StatusLine", on: phone)
        #expect(line.nextLine() == "80% unplugged  portrait  en_US")
        try phone.battery.setLevel(0.5)
        #expect(line.nextLine() == "50% unplugged  portrait  en_US")
        bus.kill()
        try bus.restart()
        try phone.battery.setLevel(0.4)
        #expect(line.nextLine() == "40% unplugged  portrait  en_US")
        try phone.setLocale("de_DE.UTF-8")
        #expect(line.nextLine() == "40% unplugged  portrait  de_DE")
    }

    @Test("B225: the status line has the title that plays, and sleeps while the session is locked")
    func statusLineSleepsWhileTheSessionIsLocked() async throws {
        let line = try RunningExample("StatusLine", on: phone)
        #expect(line.nextLine() == "80% unplugged  portrait  en_US")
        let device = try await Device.connect(to: bus.address)
        let player = Player(status: "Playing", metadata: ["xesam:title": "Clocks"])
        try await device.publish(PublishedName("org.mpris.player.cmus"), player)
        #expect(line.nextLine() == "80% unplugged  portrait  en_US  Clocks")
        try await device.publish(PublishedName("org.freedesktop.login1.session"), ["locked": true])
        while try await device.shell.subscriptions().contains(where: { $0.name == "status line" && $0.holds.isEmpty }) {
            poll(nil, 0, 5)
        }
        for level in [0.5, 0.4] { try phone.battery.setLevel(level) }
        try await device.publish(PublishedName("org.freedesktop.login1.session"), ["locked": false])
        #expect(line.nextLine() == "40% unplugged  portrait  en_US  Clocks")
        try await device.withdraw(PublishedName<[String: Int]>("org.mpris.player.cmus"))
        #expect(line.nextLine() == "40% unplugged  portrait  en_US")
    }

    private struct Player: Encodable {
        var status: String
        var metadata: [String: String]
    }

    @Test func displayRotatesOncePerRotation() throws {
        let turns = try RunningExample("AutoRotate", ["echo"], on: phone)
        #expect(turns.nextLine() == "normal")
        try phone.rotate(to: .landscapeLeft)
        #expect(turns.nextLine() == "90")
        bus.kill()
        try bus.restart()
        // Lying flat is not a rotation, and neither is the pose from before the restart.
        try phone.rotate(to: .faceUp)
        try phone.rotate(to: .landscapeRight)
        #expect(turns.nextLine() == "270")
    }

    @Test func reloaderReportsEachChangeOnce() async throws {
        try phone.write("none\n", to: "/server.pid")
        let reloader = try RunningExample("SettingsReloader", ["settings", phone.files + "/server.pid"], on: phone)
        #expect(reloader.nextLine() == "waiting for settings")
        try phone.writeSettings(#"{"theme": "dark"}"#)
        #expect(reloader.nextLine() == "settings: theme: \(phone.files)/server.pid does not name a running process")
        bus.kill()
        try bus.restart()
        let device = try await Device.connect(to: bus.address)
        while try await !device.shell.subscriptions().contains(where: { $0.name == "reloader of settings" }) {
            poll(nil, 0, 5)
        }
        try phone.writeSettings(#"{"theme": "dark", "size": 2}"#)
        var line = reloader.nextLine()
        // A bus that is killed within 100 ms of a change loses its state. Since values of settings are not on the wire,
        // it reports everything that may have changed.
        if line?.hasPrefix("settings: theme: ") == true { line = reloader.nextLine() }
        #expect(line?.hasPrefix("settings: size: ") == true)
    }
}
