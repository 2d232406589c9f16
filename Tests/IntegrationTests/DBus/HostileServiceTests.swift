// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Services that cost their own names only.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: DBusScene.isThere || getenv("CI") != nil, "dbus-daemon is missing"))
struct HostileServiceTests {
    private static let good = "org.mpris.player.good"

    /// Starts two players, a good one and one with its own values.
    private func players(
        in scene: DBusScene, bad: [String: DBusValue] = [:]
    ) async throws -> (good: DBusService, bad: DBusService, subscriber: Subscriber) {
        let good = try await scene.service()
        try await good.appear("org.mpris.MediaPlayer2.good", DBusTests.player("Playing"))
        let hostile = try await scene.service()
        try await hostile.appear("org.mpris.MediaPlayer2.bad", DBusTests.player("Playing", bad))
        return (good, hostile, try scene.subscribe("org.mpris.player.*"))
    }

    private func expectWork(_ good: DBusService, _ subscriber: Subscriber) async throws {
        try await good.set(DBusTests.playerPath, DBusTests.playerInterface, "PlaybackStatus", .string("Stopped"))
        try subscriber.waitForValue(Self.good) { $0?["status"] == "Stopped" }
    }

    @Test("B224: a flood of signals takes no memory, and other names continue") func flood() async throws {
        let scene = try DBusScene()
        let (good, bad, subscriber) = try await players(in: scene)
        try subscriber.waitForValue("org.mpris.player.bad") { $0 != nil }
        var before = 0
        for round in 0..<20 {
            for number in 0..<1_000 {
                try await bad.set(
                    DBusTests.playerPath, DBusTests.playerInterface, "Volume", .real(Double(number)),
                    invalidates: number % 2 == 0)
            }
            if round == 4 { before = try #require(scene.satellite.process.status("VmRSS")) }
        }
        try await expectWork(good, subscriber)
        #expect(try #require(scene.satellite.process.status("VmRSS")) < before + 8_192)
    }

    @Test("B224: wrong types are null, long values are cut, and damaged signals change nothing")
    func wrongValues() async throws {
        let scene = try DBusScene()
        let (good, bad, subscriber) = try await players(
            in: scene,
            bad: [
                "PlaybackStatus": .number(3), "Volume": .real(.nan),
                "Metadata": .dictionary([
                    ("art", .string(String(repeating: "x", count: 100_000))), ("bytes", .array(of: "y", [.byte(1)])),
                ]),
                "LoopStatus": .string("e" + String(repeating: "\u{301}", count: 200)),
            ])
        let event = try subscriber.waitForValue("org.mpris.player.bad") { $0 != nil }
        #expect(
            event["value"]?.objectValue
                == [
                    "cut": ["metadata"], "loop": .null, "metadata": .null, "shuffle": false, "status": .null,
                    "volume": .null,
                ])
        let properties = "org.freedesktop.DBus.Properties"
        try await bad.signal(DBusTests.playerPath, properties, "PropertiesChanged", [.number(1), .string("x")])
        try await bad.signal(DBusTests.playerPath, properties, "PropertiesChanged", [])
        try await expectWork(good, subscriber)
        #expect(!scene.satellite.process.hasEnded)
    }

    @Test("B224: a signal that is too large or too deep has its object read, and is reported once for all")
    func unreadableSignals() async throws {
        let scene = try DBusScene()
        let (_, bad, subscriber) = try await players(in: scene)
        let (path, interface, name) = (DBusTests.playerPath, DBusTests.playerInterface, "org.mpris.player.bad")
        try subscriber.waitForValue(name) { $0?["status"] == "Playing" }
        let large = DBusValue.string(String(repeating: "x", count: 2 << 20))
        let deep = (0..<20).reduce(DBusValue.byte(1)) { value, _ in .variant(value) }
        for (number, value) in [large, deep, large, deep].enumerated() {
            let status = "Stopped \(number)"
            await bad.setQuietly(path, interface, "PlaybackStatus", .string(status))
            try await bad.signal(
                path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                [.string(interface), .dictionary([("Metadata", value)]), .strings([])])
            try subscriber.waitForValue(name) { $0?["status"] == .string(status) }
        }
        #expect(scene.satellite.errors.ranges(of: "is too large or damaged").count == 1)
        // What is too large to be read at all is withdrawn.
        try await bad.set(path, interface, "Metadata", large)
        try subscriber.waitForValue(name) { $0 == nil }
        try await bad.set(path, interface, "Metadata", .dictionary([]))
        try subscriber.waitForValue(name) { $0?["status"] == "Stopped 3" }
    }

    @Test("B224: objects by the thousand are published up to a limit") func manyObjects() async throws {
        let scene = try DBusScene()
        let service = try await scene.service()
        var objects: [String: DBusService.Interfaces] = [:]
        for number in 0..<2_000 {
            objects["/org/bluez/dev_\(number)"] = [
                "org.bluez.Device1": ["Paired": .boolean(true), "Alias": .string("x")]
            ]
        }
        try await service.appear("org.bluez", objects)
        let good = try await scene.service()
        try await good.appear("org.mpris.MediaPlayer2.good", DBusTests.player("Playing"))
        let subscriber = try scene.bus.subscribe(#"{"aspects":["org.bluez.*","org.mpris.player.*"]}"#)
        var names: Set<String> = []
        // The good one too.
        let count = 256 + 1
        while names.count < count { for event in try subscriber.next() { names.insert(event.aspect) } }
        #expect(names.contains(Self.good) && names.count == count)
        try await expectWork(good, subscriber)
    }

    @Test("B224: a service that never answers is not published, and others are") func silence() async throws {
        let scene = try DBusScene()
        let silent = try await scene.service()
        try await silent.appear("org.mpris.MediaPlayer2.bad", DBusTests.player("Playing"))
        await silent.fallSilent()
        let good = try await scene.service()
        try await good.appear("org.mpris.MediaPlayer2.good", DBusTests.player("Playing"))
        let subscriber = try scene.subscribe("org.mpris.player.*")
        try subscriber.waitForValue(Self.good) { $0 != nil }
        try wait(for: "a warning: \(scene.satellite.errors)") {
            scene.satellite.errors.contains("org.mpris.MediaPlayer2.bad does not answer")
        }
        try await expectWork(good, subscriber)
    }
}
