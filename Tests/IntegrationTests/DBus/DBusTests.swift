// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille-dbus` with a real message bus, and services in this process.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: DBusScene.isThere || getenv("CI") != nil, "dbus-daemon is missing"))
struct DBusTests {
    static let playerPath = "/org/mpris/MediaPlayer2"
    static let playerInterface = "org.mpris.MediaPlayer2.Player"

    static func player(_ status: String, _ more: [String: DBusValue] = [:]) -> [String: DBusService.Interfaces] {
        let metadata = DBusValue.dictionary([
            ("xesam:title", .string("Clocks")), ("mpris:length", .longSigned(1 << 40)),
        ])
        let usual: [String: DBusValue] = [
            "PlaybackStatus": .string(status), "Volume": .real(0.5), "Metadata": metadata, "Shuffle": .boolean(false),
            "Position": .longSigned(7),
        ]
        return [playerPath: [playerInterface: usual.merging(more) { $1 }]]
    }

    @Test("B221, B223: without an awake subscriber there is no connection, no match rule and no wake-up")
    func nobodyIsAwake() async throws {
        let scene = try DBusScene()
        let service = try await scene.service()
        try await service.appear("org.mpris.MediaPlayer2.vlc", Self.player("Playing"))
        let subscriber = try scene.bus.subscribe(
            #"{"aspects":["org.mpris.player.*","org.freedesktop.NetworkManager"]}"#)
        let first = try subscriber.waitForValue("org.mpris.player.vlc") { $0 != nil }
        let value = try #require(first["value"]?.objectValue)
        #expect(value["status"] == "Playing" && value["volume"] == 0.5 && value["loop"] == .null)
        #expect(value["metadata"]?.objectValue?["xesam:title"] == "Clocks")
        #expect(value["metadata"]?.objectValue?["mpris:length"] == .integer(1 << 40))
        #expect(value["Position"] == nil)
        let rules = try scene.matchRules
        #expect(rules.contains("NameOwnerChanged") && rules.contains("PropertiesChanged") && !scene.wasServiceStarted)

        try subscriber.setState("background", on: try scene.bus.client())
        try wait(for: "the end of the need: \(scene.satellite.errors)") { try !scene.isFollowing }
        #expect(try !scene.matchRules.contains("type="))
        // The end of the need may not be over when the connection is.
        let deadline = Deadline(seconds: 60)
        var isQuiet = false
        while !isQuiet {
            guard !deadline.hasPassed else { throw Trouble("changes that nobody needs wake the program") }
            let before = try scene.satellite.process.wakeUps()
            for volume in 0..<100 {
                try await service.set(Self.playerPath, Self.playerInterface, "Volume", .real(Double(volume)))
            }
            // The message bus has sent them when it answers.
            _ = try scene.matchRules
            isQuiet = try scene.satellite.process.wakeUps() == before
        }
    }

    @Test("B222: a service that ends is withdrawn, and one that returns is published, also after D-Bus restarts")
    func servicesEndAndReturn() async throws {
        let scene = try DBusScene()
        let subscriber = try scene.subscribe("org.mpris.player.*")
        for round in 0..<2 {
            let service = try await scene.service()
            try await service.appear("org.mpris.MediaPlayer2.a.b_1", Self.player("Playing"))
            try subscriber.waitForValue("org.mpris.player.a.b_1") { $0?["status"] == "Playing" }
            await service.leave()
            try subscriber.waitForValue("org.mpris.player.a.b_1") { $0 == nil }
            if round == 0 { try scene.restartDaemon() }
        }
    }

    @Test("a rule of one's own is published, with words for numbers") func ownRule() async throws {
        let scene = try DBusScene(
            """
            { rules: { app: { bus: "session", service: "org.example.App", path: "/app", interface: "org.example.App",
                              properties: { state: "State" }, words: { state: { "1": "on" } }, name: "org.example.app" } } }
            """)
        let app = try await scene.service()
        try await app.appear("org.example.App", ["/app": ["org.example.App": ["State": .signed(1)]]])
        let subscriber = try scene.subscribe("org.example.app")
        try subscriber.waitForValue("org.example.app") { $0 == ["state": "on"] }
        let list = try ProgramRun(
            ["list", "--config", scene.bus.directory.path + "/dbus.json5"], program: DBusScene.program,
            in: scene.bus.directory, environment: scene.environment)
        #expect(list.output.contains(#/app +org\.example\.app +1 +1 +yes/#), "\(list.output) \(list.errors)")
        withExtendedLifetime(subscriber) {}
    }

    @Test("a missing bus and a wrong configuration have exit codes of their own, and errors that name them")
    func exitCodes() throws {
        let directory = try TemporaryDirectory()
        func run(_ arguments: [String]) throws -> ProgramRun {
            try ProgramRun(arguments, program: DBusScene.program, in: directory)
        }
        for command in [[], ["list"]] {
            let missing = try run(command + ["--address", "unix:/nothing/bus"])
            #expect(missing.code == 69 && missing.errors.contains("/nothing/bus"), "\(missing.errors)")
        }
        try directory.write("{ presets: ['playrs'] }", to: "dbus.json5")
        let wrong = try run(["check", "--config", directory.path + "/dbus.json5"])
        #expect(wrong.code == 78 && wrong.errors.contains("did you mean players?"), "\(wrong.errors)")
        try directory.write("{ presets: ['players'] }", to: "dbus.json5")
        let right = try run(["check", "--config", directory.path + "/dbus.json5"])
        #expect(right.code == 0 && right.output.contains("org.mpris.player.{service}"), "\(right.errors)")
    }
}
