// SPDX-License-Identifier: Apache-2.0

import Glibc
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

    private func waitForConnections(_ count: Int, _ service: DBusService, _ scene: DBusScene) async throws {
        let deadline = Deadline(seconds: 60)
        while await service.connections() != count {
            guard !deadline.hasPassed else {
                throw Trouble("waited for \(count) connections: \(scene.satellite.errors)")
            }
            backOff()
        }
    }

    @Test func `A sleeper gets one event for three changes, and the newest state after a time without need`()
        async throws
    {
        let scene = try DBusScene()
        let service = try await scene.service()
        try await service.appear("org.mpris.MediaPlayer2.vlc", Self.player("Playing"))
        let name = "org.mpris.player.vlc"
        let awake = try scene.subscribe("org.mpris.player.*")
        let first = try awake.waitForValue(name) { $0 != nil }
        let value = try #require(first["value"]?.objectValue)
        #expect(value["status"] == "Playing" && value["volume"] == 0.5 && value["loop"] == .null)
        #expect(value["metadata"]?.objectValue?["xesam:title"] == "Clocks")
        #expect(value["metadata"]?.objectValue?["mpris:length"] == .integer(1 << 40))
        #expect(value["Position"] == nil)

        let control = try scene.bus.client()
        let sleeper = try scene.subscribe(name, isInBackground: true)
        for volume in [0.1, 0.2, 0.3] {
            try await service.set(
                Self.playerPath, Self.playerInterface, "Volume", .real(volume), invalidates: volume == 0.2)
            try awake.waitForValue(name) { $0?["volume"] == .number(volume) }
        }
        try sleeper.setState("foreground", on: control)
        let event = try sleeper.waitForValue(name) { _ in true }
        #expect(event["changes"] == 3 && event["value"]?.objectValue?["volume"] == 0.3)

        // Nobody needs the name: there is no connection.
        try sleeper.setState("background", on: control)
        try awake.setState("background", on: control)
        try await waitForConnections(0, service, scene)
        try await service.set(Self.playerPath, Self.playerInterface, "PlaybackStatus", .string("Paused"))
        try sleeper.setState("foreground", on: control)
        try sleeper.waitForValue(name) { $0?["status"] == "Paused" }
        #expect(!scene.wasServiceStarted)
    }

    @Test func `A service that ends is withdrawn, and one that returns is published, also after D-Bus restarts`()
        async throws
    {
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

    @Test func `Bluetooth devices have their batteries, and only paired ones are published`() async throws {
        let scene = try DBusScene()
        let service = try await scene.service()
        func device(_ isPaired: Bool) -> DBusService.Interfaces {
            [
                "org.bluez.Device1": [
                    "Alias": .string("Mouse"), "Paired": .boolean(isPaired), "Connected": .boolean(true),
                ],
                "org.bluez.Battery1": ["Percentage": .byte(80)],
            ]
        }
        try await service.appear(
            "org.bluez",
            [
                "/org/bluez/hci0": ["org.bluez.Adapter1": ["Powered": .boolean(true)]],
                "/org/bluez/hci0/dev_1": device(true), "/org/bluez/hci0/dev_2": device(false),
            ])
        let subscriber = try scene.subscribe("org.bluez.*")
        let event = try subscriber.waitForValue("org.bluez.device.hci0-dev_1") { $0 != nil }
        #expect(event["value"]?.objectValue?["percentage"] == 80)
        try await service.set("/org/bluez/hci0/dev_2", "org.bluez.Device1", "Paired", .boolean(true))
        try subscriber.waitForValue("org.bluez.device.hci0-dev_2") { $0?["alias"] == "Mouse" }
        try await service.remove("/org/bluez/hci0/dev_1")
        try subscriber.waitForValue("org.bluez.device.hci0-dev_1") { $0 == nil }
        #expect(try scene.bus.client().state(of: "org.bluez.adapter.hci0")["value"] == ["powered": true])
    }

    @Test func `Settings, peripherals, units and rules of one's own are published`() async throws {
        let scene = try DBusScene(
            """
            { units: { session: ["a_b@1.service"] },
              rules: { app: { bus: "session", service: "org.example.App", path: "/app", interface: "org.example.App",
                              properties: { state: "State" }, words: { state: { "1": "on" } }, name: "org.example.app" } } }
            """)
        let portal = "/org/freedesktop/portal/desktop"
        let appearance = "org.freedesktop.appearance"
        let settings = try await scene.service()
        try await settings.appear(
            "org.freedesktop.portal.Desktop", [portal: [appearance: ["color-scheme": .number(1)]]])
        let power = try await scene.service()
        try await power.appear(
            "org.freedesktop.UPower",
            [
                "/org/freedesktop/UPower/devices/mouse": [
                    "org.freedesktop.UPower.Device": [
                        "Model": .string("M"), "Type": .number(5), "PowerSupply": .boolean(false),
                    ]
                ],
                "/org/freedesktop/UPower/devices/line": [
                    "org.freedesktop.UPower.Device": ["Model": .string("L"), "PowerSupply": .boolean(true)]
                ],
            ], manager: "/org/freedesktop/UPower")
        let manager = try await scene.service()
        try await manager.appear(
            "org.freedesktop.systemd1",
            [
                "/org/freedesktop/systemd1/unit/a_5fb_401_2eservice": [
                    "org.freedesktop.systemd1.Unit": [
                        "ActiveState": .string("active"), "SubState": .string("running"),
                    ],
                    "org.freedesktop.systemd1.Service": ["Result": .string("success")],
                ]
            ])
        let app = try await scene.service()
        try await app.appear("org.example.App", ["/app": ["org.example.App": ["State": .signed(1)]]])
        let all = try scene.bus.subscribe(#"{"aspects":["org.freedesktop.*","org.example.*"]}"#)
        var values: [String: JSONObject] = [:]
        while values.count < 4 {
            for event in try all.next() { values[event.aspect] = event["value"]?.objectValue }
        }
        #expect(values[appearance] == ["accentColor": .null, "colorScheme": "dark", "contrast": .null])
        #expect(values["org.freedesktop.UPower.device.mouse"]?["type"] == "mouse")
        #expect(
            values["org.freedesktop.systemd1.user.a_5fb_401.service"]
                == ["active": "active", "result": "success", "sub": "running"])
        #expect(values["org.example.app"] == ["state": "on"])
        try await settings.set(portal, appearance, "color-scheme", .number(2))
        try all.waitForValue(appearance) { $0?["colorScheme"] == "light" }
        let list = try ProgramRun(
            ["list", "--config", scene.bus.directory.path + "/dbus.json5"], program: DBusScene.program,
            in: scene.bus.directory, environment: scene.environment)
        #expect(list.output.contains("peripherals"), "\(list.output) \(list.errors)")
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
    }
}
