// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing
import Varlink

/// The example of a shell, with a real compositor.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: SwayScene.isThere || SwayScene.isRequired, "no sway in .build-sway"))
struct SwayShellTests {
    private let scene: SwayScene

    init() throws {
        scene = try SwayScene()
    }

    @Test("a program sleeps while its window is hidden, and wakes with one event") func hiddenProgramSleeps() throws {
        let program = try scene.startProgram(named: "clock")
        try scene.message("workspace 2")
        try scene.waitUntil("clock", isHeldBy: ["operator"])
        let client = try scene.bus.client()
        for level in [0.5, 0.4, 0.3] { try client.post(level: level) }
        try scene.message("workspace 1")
        try wait(for: "an event: \(program.errors)") { program.output.contains("\n") }
        let line = try JSON.parse(Array(program.output.utf8)).objectValue
        #expect(line?["changes"] == 3)
        #expect(line?.level == 0.3)
    }

    @Test("a program with a visible window stays awake, and sleeps in the scratchpad")
    func scratchpadIsHidden() throws {
        let first = try scene.startProgram(named: "first")
        try scene.message("workspace 2")
        let second = try scene.startProgram(named: "second")
        try scene.waitUntil("first", isHeldBy: ["operator"])
        try scene.message("move window to scratchpad")
        try scene.waitUntil("second", isHeldBy: ["operator"])
        withExtendedLifetime((first, second)) {}
    }
    @Test("B225: all programs sleep while the session is locked, but for one that plays") func lockedSession() throws {
        let program = try scene.startProgram(named: "clock")
        let client = try scene.bus.client()
        func publish(_ name: String, _ value: String) throws {
            #expect(try client.call("Publish", #"{"aspect":"\#(name)","value":\#(value)}"#).error == nil)
        }
        try publish("org.freedesktop.login1.session", #"{"locked":true}"#)
        try scene.waitUntil("clock", isHeldBy: ["operator"])
        // The subscription is that of a process named reveille.
        try publish("org.mpris.player.reveille.instance_1", #"{"status":"Playing"}"#)
        try scene.waitUntil("clock", isHeldBy: [])
        try publish("org.mpris.player.reveille.instance_1", #"{"status":"Paused"}"#)
        try scene.waitUntil("clock", isHeldBy: ["operator"])
        try publish("org.freedesktop.login1.session", #"{"locked":false}"#)
        try scene.waitUntil("clock", isHeldBy: [])
        withExtendedLifetime(program) {}
    }
}
