// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A real bridge between a real bus and a real mosquitto.
@Suite("reveille-fleet bridge", .blocking, .enabled(if: BridgeScene.isAvailable), .timeLimit(.minutes(5)))
struct BridgeTests {
    private static let name = "org.example.mode"

    @Test("a bridge that is killed leaves its will; restarted, it publishes its birth and every state with its count")
    func kill() throws {
        let scene = try BridgeScene()
        let observer = try scene.observer()
        try scene.waitUntilOnline(observer, with: ["battery", "orientation"])
        try wait(for: "the positions") { scene.bus.directory.read("bridge.json").contains("\"orientation\":0") }
        scene.killBridge()
        let will = try observer.wait(for: BridgeScene.status) { $0["online"] == false }
        #expect(will["reason"] == "lost")
        try scene.setPose("faceUp")
        let count = observer.messages.count
        try scene.startBridge()
        try observer.wait(for: BridgeScene.state("orientation")) { $0["changes"] == 1 }
        try scene.publish("org.example.end", [:])
        try observer.wait(for: BridgeScene.state("org.example.end"))
        let messages = observer.messages[count...]
        #expect(messages.first?.topic == BridgeScene.status)
        let states = messages.filter { $0.topic.contains("/state/") }.prefix(2)
        #expect(states.map(\.topic) == [BridgeScene.state("battery"), BridgeScene.state("orientation")])
        #expect(states.map { $0.object["changes"] } == [0, 1])
    }

    @Test("a late joiner receives exactly one message a topic, and names that are not configured never appear")
    func lateJoiner() throws {
        let scene = try BridgeScene()
        try scene.publish("com.example.secret", ["word": "hidden"])
        for number in 1...20 { try scene.publish("org.example.volume", ["level": .integer(Int64(number))]) }
        try scene.waitUntilOnline(try scene.observer(), with: ["battery", "org.example.volume", "orientation"])
        let joiner = try scene.observer()
        try joiner.wait(for: BridgeScene.state("org.example.volume")) { $0["value"] == ["level": 20] }
        // The broker delivers them in any order.
        for topic in [BridgeScene.status, BridgeScene.state("battery"), BridgeScene.state("orientation")] {
            try joiner.wait(for: topic)
        }
        #expect(
            Set(joiner.messages.map(\.topic)) == [
                BridgeScene.status, BridgeScene.state("battery"), BridgeScene.state("orientation"),
                BridgeScene.state("org.example.volume"),
            ])
        #expect(joiner.messages.count == 4)
        #expect(!joiner.messages.contains { String(decoding: $0.payload, as: UTF8.self).contains("hidden") })
    }

    @Test("a deletion while the bus is away is made up for, and settings meanwhile have their count")
    func absentBus() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"]"#)
        let observer = try scene.observer()
        func set(_ name: String, _ generation: Int) throws {
            try observer.publish(
                BridgeScene.desired(name), #"{"instance":"s","generation":\#(generation),"value":{"n":\#(generation)}}"#
            )
        }
        for name in [Self.name, "org.example.gone"] {
            try set(name, 1)
            try wait(for: "\(name) on the bus") { try scene.value(of: name) != .null }
        }
        let before = try scene.generation(of: Self.name)
        try scene.bus.waitUntilSaved()
        scene.bus.kill()
        try observer.wait(for: BridgeScene.status) { $0["reason"] == "noBus" }
        try observer.publish(BridgeScene.desired("org.example.gone"), "")
        for generation in 2...4 { try set(Self.name, generation) }
        try wait(for: "the failure: \(scene.bridge.errors)") {
            scene.bridge.errors.contains("the bus did not take the desired state of \(Self.name)")
                && scene.bridge.errors.contains("the bus did not take the desired state of org.example.gone")
        }
        try scene.bus.restart()
        try wait(for: "the newest value: \(scene.bridge.errors)") { try scene.value(of: Self.name) == ["n": 4] }
        #expect(try scene.generation(of: Self.name) == before + 3)
        try wait(for: "the withdrawal: \(scene.bridge.errors)") { try scene.value(of: "org.example.gone") == .null }
    }

    @Test("B230: what the fleet set while a device was away is the plain value on its bus, with all changes")
    func desired() throws {
        let scene = try BridgeScene(#"aspects: ["battery"], desired: ["org.example.*"], groups: ["shops"]"#)
        let observer = try scene.observer()
        func set(_ generation: Int, _ mode: String) throws {
            try observer.publish(
                BridgeScene.desired(Self.name),
                #"{"instance":"s","generation":\#(generation),"value":{"mode":"\#(mode)"}}"#)
        }
        func waitForValue(_ value: JSON) throws {
            var found: JSON?
            try wait(for: "\(value) on the bus, which has \(found ?? .null): \(scene.bridge.errors)") {
                found = try scene.value(of: Self.name)
                return found == value
            }
        }
        try set(1, "day")
        try waitForValue(["mode": "day"])
        let before = try scene.generation(of: Self.name)
        #expect(scene.bridge.stop() == 0)
        for (generation, mode) in [(2, "a"), (3, "b"), (4, "day")] { try set(generation, mode) }
        try scene.startBridge()
        try observer.wait(for: BridgeScene.status) {
            $0["desired"]?.objectValue?[Self.name] == ["instance": "s", "generation": 4]
        }
        try waitForValue(["mode": "day"])
        #expect(try scene.generation(of: Self.name) == before + 3)
        // Not allowed, and then deleted: the group's value takes its place, and then none.
        try observer.publish(BridgeScene.desired("com.example.secret"), "{}")
        try observer.publish("reveille/v1/group/shops/desired/\(Self.name)", #"{"mode":"group"}"#)
        try observer.publish(BridgeScene.desired(Self.name), "")
        try waitForValue(["mode": "group"])
        #expect(scene.bridge.stop() == 0)
        try observer.publish("reveille/v1/group/shops/desired/\(Self.name)", "")
        try scene.startBridge()
        try waitForValue(.null)
        #expect(try scene.value(of: "com.example.secret") == .null)
    }

    @Test("a device that wakes delivers what has changed, and says when it sleeps")
    func wake() throws {
        let scene = try BridgeScene(#"aspects: ["org.example.*"], wakeEvery: 1"#)
        let observer = try scene.observer()
        let asleep = try observer.wait(for: BridgeScene.status) { $0["reason"] == "asleep" }
        #expect(asleep["online"] == false)
        #expect(asleep["wakeEvery"] == 1)
        try scene.publish("org.example.volume", ["level": 1])
        let first = try observer.wait(for: BridgeScene.state("org.example.volume"))
        try observer.wait(for: BridgeScene.status) {
            $0["reason"] == "asleep" && $0["aspects"] == ["org.example.volume"]
        }
        for number in 2...5 { try scene.publish("org.example.volume", ["level": .integer(Int64(number))]) }
        let last = try observer.wait(for: BridgeScene.state("org.example.volume")) { $0["value"] == ["level": 5] }
        let (one, other) = (first["generation"]?.integerValue ?? 0, last["generation"]?.integerValue ?? 0)
        #expect(other - one == 4)
    }

    @Test("a device whose machine sleeps says so with its alarm, ends its task, and is back after the sleep")
    func machine() throws {
        let scene = try BridgeScene()
        let observer = try scene.observer()
        try scene.publish("org.reveille.alarm", ["at": 4_000_000_000_000_000])
        try scene.waitUntilOnline(observer, with: ["battery", "orientation"])
        try scene.post(#"{"sleep":{"state":"preparing"}}"#)
        let asleep = try observer.wait(for: BridgeScene.status) { $0["reason"] == "asleep" }
        #expect(asleep["online"] == false)
        // The time of a clock that is not synchronized is worth nothing to others.
        #expect(asleep["wakesAt"] == (Clocks.isSynchronized ? 4_000_000_000_000_000 : nil))
        try wait(for: "the end of the task") {
            let reply = try scene.bus.client().call("ListSubscriptions")
            return !reply.parameters.objects("subscriptions").contains { $0["tasks"]?.arrayValue?.isEmpty == false }
        }
        for pose in ["faceUp", "faceDown", "portrait"] { try scene.setPose(pose) }
        try scene.post(#"{"sleep":{"state":"awake","sleptFor":60}}"#)
        try observer.wait(for: BridgeScene.state("orientation")) { $0["changes"] == 3 }
        try wait(for: "the status") { try observer.messages(about: BridgeScene.status).last?.object["online"] == true }
    }

    @Test("a bridge that is stopped says so, and uses less than 10 MB of memory before")
    func stop() throws {
        let scene = try BridgeScene()
        let observer = try scene.observer()
        try scene.waitUntilOnline(observer, with: ["battery", "orientation"])
        // Without the pages of files, which come and go with the kernel's caches.
        let pages = try String(contentsOfFile: "/proc/\(scene.bridge.process.pid)/statm").split(separator: " ")
        let memory = try #require(
            pages.count > 2 ? Int(pages[1]).flatMap { all in Int(pages[2]).map { all - $0 } } : nil)
        #expect(memory * Int(getpagesize()) / 1_024 < 10_000)
        #expect(scene.bridge.stop() == 0)
        let last = try observer.wait(for: BridgeScene.status) { $0["online"] == false }
        #expect(last["reason"] == "stopped")
    }

    @Test("a second bridge with the file of the first one is refused, and the first one is not disturbed")
    func second() throws {
        let scene = try BridgeScene()
        let observer = try scene.observer()
        try scene.waitUntilOnline(observer, with: ["battery", "orientation"])
        let second = try scene.anotherBridge()
        #expect(second.process.wait() == 75, "\(second.errors)")
        #expect(second.errors.contains("another bridge of \(BridgeScene.device) uses this file"), "\(second.errors)")
        try scene.setPose("faceUp")
        try observer.wait(for: BridgeScene.state("orientation")) { $0["changes"] == 1 }
        #expect(try !observer.messages(about: BridgeScene.status).contains { $0.object["online"] == false })
        // The lock ends with the program, whatever ends it.
        scene.killBridge()
        try scene.startBridge()
        try scene.setPose("faceDown")
        try observer.wait(for: BridgeScene.state("orientation")) { $0["generation"] == 2 }
    }

    /// `Scripts/fleet kill` has more of these.
    private static let rounds = 10

    @Test("a reader counts no change twice while the bus, the bridge, the broker and itself are killed at random")
    func randomKills() throws {
        let directory = try TemporaryDirectory()
        let run = try ProgramRun(
            [
                "-B", Package.root + "/Tests/IntegrationTests/Fleet/kill.py", BusProcess.program, BridgeScene.program,
                BridgeScene.mosquitto, directory.path, "\(Self.rounds)",
            ], program: "/usr/bin/python3", in: directory)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}
