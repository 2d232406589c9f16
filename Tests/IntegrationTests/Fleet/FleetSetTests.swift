// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille-fleet set` and `desired` with a real bridge: what they say about the device.
@Suite(
    .blocking, .timeLimit(.minutes(5)), .enabled(if: BridgeScene.isAvailable, "no mosquitto in .build-mosquitto"))
struct FleetSetTests {
    private static let name = "org.example.mode"

    private func run(_ scene: BridgeScene, _ arguments: String...) throws -> (code: Int32, text: String) {
        let program = try RunningProgram(
            arguments + ["--broker", "unix:\(scene.brokerSocket)"], program: BridgeScene.program,
            in: scene.bus.directory)
        let code = program.process.wait()
        return (code, program.output + program.errors)
    }

    @Test("B231: set says whether the device has taken the value, is away, does not allow it, or is unknown")
    func outcomes() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"]"#)
        let observer = try scene.observer()
        try scene.waitUntilOnline(observer, with: ["battery"])
        let taken = try run(scene, "set", BridgeScene.device, Self.name, #"{"mode": "night"}"#)
        #expect(taken.code == 0 && taken.text == "kiosk-7 has taken \(Self.name)\n", "\(taken)")
        #expect(try scene.value(of: Self.name) == ["mode": "night"])
        let forbidden = try run(scene, "set", BridgeScene.device, "com.example.secret", "{}")
        #expect(forbidden.code == 77 && forbidden.text.contains("is connected, but has not taken"), "\(forbidden)")
        let unknown = try run(scene, "set", "kiosk-8", Self.name, "{}")
        #expect(unknown.code == 1 && unknown.text.contains("no device 'kiosk-8' has connected"), "\(unknown)")
        let list = try run(scene, "desired", BridgeScene.device, "--json")
        let rows = try JSON.parse(Array(list.text.utf8)).arrayValue?.compactMap(\.objectValue)
        #expect(rows?.map { $0["applied"] } == [false, true], "\(list)")
        #expect(try run(scene, "desired").text.contains("kiosk-8  \(Self.name)    no such device  {}"))
        let deleted = try run(scene, "set", BridgeScene.device, Self.name, "--delete")
        #expect(deleted.code == 0 && deleted.text == "kiosk-7 has taken the deletion of \(Self.name)\n", "\(deleted)")
        #expect(try scene.value(of: Self.name) == .null)
        #expect(scene.bridge.stop() == 0)
        let later = try run(scene, "set", BridgeScene.device, Self.name, "{}")
        #expect(later.code == 75, "\(later)")
        #expect(later.text.contains("kiosk-7 is stopped; it takes \(Self.name) when it is back"), "\(later)")
    }

    @Test("B245: sixteen sets at once are sixteen changes on the bus of the device, and each ends with its answer")
    func atOnce() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"]"#)
        try scene.waitUntilOnline(try scene.observer(), with: ["battery"])
        #expect(try run(scene, "set", BridgeScene.device, Self.name, #"{"n": 0}"#).code == 0)
        let before = try scene.generation(of: Self.name)
        let programs = try (1...16).map { number in
            try RunningProgram(
                [
                    "set", BridgeScene.device, Self.name, #"{"n": \#(number)}"#, "--broker",
                    "unix:\(scene.brokerSocket)",
                ], program: BridgeScene.program, in: scene.bus.directory)
        }
        for program in programs {
            let code = program.process.wait()
            #expect(code == 0, "\(program.output)\(program.errors)")
        }
        let observer = try scene.observer()
        let kept = try observer.wait(for: BridgeScene.desired(Self.name))
        try wait(for: "the value: \(scene.bridge.errors)") { try scene.value(of: Self.name) == kept["value"] }
        #expect(kept["generation"] == 17)
        #expect(try scene.generation(of: Self.name) == before + 16)
    }

    @Test("a value that no bus takes is refused alone: other values arrive, and set says so")
    func impossibleValue() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"], groups: ["shops"]"#)
        let observer = try scene.observer()
        try scene.waitUntilOnline(observer, with: ["battery"])
        let deep = #"{"a":"# + String(repeating: "[", count: 30) + String(repeating: "]", count: 30) + "}"
        let long = #"{"a":""# + String(repeating: "x", count: 65_490) + #""}"#
        try observer.publish(BridgeScene.desired("org.example.a"), deep)
        try observer.publish("reveille/v1/group/shops/desired/org.example.b", long)
        try observer.publish(BridgeScene.desired(Self.name), #"{"mode":"night"}"#)
        let lines = ["nested deeper than", "bytes without spaces"]
        try wait(for: "the refusals: \(scene.bridge.errors)") { lines.allSatisfy { scene.bridge.errors.contains($0) } }
        try wait(for: "the value: \(scene.bridge.errors)") { try scene.value(of: Self.name) == ["mode": "night"] }
        // Again after each connection, in one collection.
        #expect(scene.bridge.stop() == 0)
        try observer.publish(BridgeScene.desired(Self.name), #"{"mode":"day"}"#)
        try scene.startBridge()
        try wait(for: "the value: \(scene.bridge.errors)") { try scene.value(of: Self.name) == ["mode": "day"] }
        #expect(!scene.bridge.errors.contains("did not take"))
        let refused = try run(scene, "set", BridgeScene.device, Self.name, long)
        #expect(refused.code == 77 && refused.text.contains("no bus takes the value"), "\(refused)")
    }

    @Test("a value that ends the connection to a bus with shorter calls ends no other value")
    func shorterCalls() throws {
        let scene = try BridgeScene(
            #"aspects: ["battery"], desired: ["org.example.*"]"#,
            bus: #"{ bus: { maxFrame: 2048 }, publish: { valueSize: 1024 } }"#)
        let observer = try scene.observer()
        let long = #"{"a":""# + String(repeating: "x", count: 4_000) + #""}"#
        try observer.publish(BridgeScene.desired("org.example.a"), long)
        for name in ["b", "c"] { try observer.publish(BridgeScene.desired("org.example.\(name)"), "{}") }
        for name in ["b", "c"] {
            try wait(for: "\(name): \(scene.bridge.errors)") { try scene.value(of: "org.example.\(name)") == [:] }
        }
        try wait(for: "the refusal: \(scene.bridge.errors)") {
            scene.bridge.errors.contains("the bus did not take the desired state of org.example.a")
        }
        for name in ["b", "c"] {
            #expect(!scene.bridge.errors.contains("did not take the desired state of org.example.\(name)"))
        }
    }

    @Test("a device that sleeps between wakes says what it has taken before it sleeps again")
    func sleeper() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"], wakeEvery: 1"#)
        let observer = try scene.observer()
        try observer.wait(for: BridgeScene.status) { $0["reason"] == "asleep" }
        try observer.publish(BridgeScene.desired(Self.name), #"{"instance":"s","generation":7,"value":{}}"#)
        try observer.wait(for: BridgeScene.status) {
            $0["reason"] == "asleep"
                && $0["desired"]?.objectValue?[Self.name] == ["instance": "s", "generation": 7]
        }
    }
}
