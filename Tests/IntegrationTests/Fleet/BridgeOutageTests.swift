// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A real bridge whose broker is silent or has other rules than the bridge.
@Suite(
    "reveille-fleet bridge without a broker that works", .blocking, .enabled(if: BridgeScene.isAvailable),
    .timeLimit(.minutes(5)))
struct BridgeOutageTests {
    @Test("a bridge whose broker does not answer ends at once when it is stopped")
    func silentBroker() throws {
        let bus = try BusProcess()
        let address = "unix:\(bus.directory.path)/silent"
        let silent = try UnixListener(at: UnixAddress(address))
        try bus.directory.write("{ device: \"a\", broker: \"\(address)\" }", to: "bridge.json5")
        let bridge = try RunningProgram(
            ["bridge", "--config", bus.directory.path + "/bridge.json5", "--state", bus.directory.path + "/positions"],
            program: BridgeScene.program, in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        try wait(for: "the bridge: \(bridge.errors)") { bridge.errors.contains("connected to the bus") }
        withExtendedLifetime(silent) { #expect(bridge.stop() == 0) }
    }

    @Test("a broker that refuses the subscription to desired values has none withdrawn")
    func refusedSubscription() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"]"#)
        try scene.observer().publish(BridgeScene.desired("org.example.mode"), #"{"mode":"night"}"#)
        let value: JSON = ["mode": "night"]
        try wait(for: "the value: \(scene.bridge.errors)") { try scene.value(of: "org.example.mode") == value }
        #expect(scene.bridge.stop() == 0)
        scene.stopBroker()
        let broker = try RefusingBroker(scene.brokerSocket)
        try scene.startBridge()
        try wait(for: "the end of the replay: \(scene.bridge.errors)") {
            broker.serve()
            return scene.bridge.errors.contains("the broker did not deliver all desired states, so none is withdrawn")
        }
        let rule = "its rules must contain 'pattern read reveille/v1/%u/desired/+'"
        #expect(scene.bridge.errors.contains(rule))
        #expect(try scene.value(of: "org.example.mode") == value)
    }

    @Test("a bridge whose broker becomes a black hole ends within its patience when it is stopped")
    func blackHole() throws {
        let scene = try BridgeScene()
        try scene.waitUntilOnline(try scene.observer(), with: ["battery", "orientation"])
        scene.broker.signal(SIGSTOP)
        defer { scene.broker.signal(SIGCONT) }
        try scene.setPose("faceUp")
        #expect(scene.bridge.stop() == 0)
    }
}
