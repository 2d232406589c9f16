// SPDX-License-Identifier: Apache-2.0

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
