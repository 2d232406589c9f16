// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The presets of `reveille-dbus` with the services that they are for.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: PresetService.areThere || getenv("CI") != nil, "services are missing: Scripts/setup test"))
struct PresetTests {
    @Test(
        "B219, B220: a sleeper gets one event for three changes, and at a wake alone what changed while nobody was awake",
        arguments: PresetService.all)
    func sleeper(_ service: PresetService) throws {
        let scene = try DBusScene()
        try expectWakes(service, in: scene)
    }

    @Test(
        "B219, B220: a sleeper gets one event for three changes of a unit, and at a wake alone what changed while nobody was awake",
        .enabled(if: PrivateServiceManager.obstacle == nil, "no systemd can be started here"))
    func unit() throws {
        let manager = try PrivateServiceManager()
        let scene = try DBusScene(#"{ units: { session: ["tick.timer"] } }"#, session: manager.address)
        let timer = PresetService(
            name: "org.freedesktop.systemd1.user.tick.timer", member: "active",
            values: [("stop", "inactive"), ("start", "active")]
        ) { scene in
            { action in
                let run =
                    action == "stop"
                    ? try scene.run(["systemctl", "--user", "stop", "tick.timer"])
                    : try scene.run(["systemd-run", "--user", "--unit=tick", "--on-active=1d", "true"])
                guard run.code == 0 else { throw Trouble("\(action): \(run.errors)") }
            }
        }
        try expectWakes(timer, in: scene)
        withExtendedLifetime(manager) {}
    }

    private func expectWakes(_ service: PresetService, in scene: DBusScene) throws {
        let change = try service.start(scene)
        let (name, member) = (service.name, service.member)
        let (one, other) = (service.values[0], service.values[1])
        let awake = try scene.subscribe(name)
        try awake.waitForValue(name) { $0?[member] == one.published }
        let sleeper = try scene.subscribe(name, isInBackground: true)
        for value in [other, one, other] {
            try change(value.argument)
            try awake.waitForValue(name) { $0?[member] == value.published }
        }
        let control = try scene.bus.client()
        try sleeper.setState("foreground", on: control)
        let event = try sleeper.waitForValue(name) { _ in true }
        #expect(event["changes"] == 3 && event["value"]?.objectValue?[member] == other.published, "\(event)")

        #expect(try scene.isFollowing)
        try sleeper.setState("background", on: control)
        try awake.setState("background", on: control)
        try wait(for: "the end of the need") { try !scene.isFollowing }
        try change(one.argument)
        try sleeper.setState("foreground", on: control)
        try sleeper.waitForValue(name) { $0?[member] == one.published }
    }
}
