// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The commands that read and change a fleet, as processes, with a real broker.
@Suite(.timeLimit(.minutes(10)), .enabled(if: MosquittoBroker.isAvailable, "no mosquitto in .build-mosquitto"))
struct FleetCommandTests {
    private let scene: FleetScene
    private let broker: MosquittoBroker
    private let directory: TemporaryDirectory

    init() throws {
        scene = try FleetScene()
        broker = try MosquittoBroker()
        directory = try TemporaryDirectory()
    }

    private var address: String { "\(broker.address())" }

    private func run(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        try FleetProgram.run(arguments, on: address, in: directory)
    }

    private func start() async throws {
        try await scene.connect("kiosk-7", to: broker.address())
        try await scene.publishStatus(of: "kiosk-7", aspects: ["battery", "org.example.mode"])
        let battery =
            #"{"level":0.62,"state":"unplugged","plugged":false,"chargeStatus":"discharging","packs":[]}"#
        try await scene.peer.publish(
            #"{"instance":"aa","generation":3,"changes":1,"changedAt":1790000000000000,"value":\#(battery)}"#,
            to: "reveille/v1/kiosk-7/state/battery")
        try await scene.publish("org.example.mode", of: "kiosk-7", generation: 1)
    }

    @Test("get prints the states of a device, and fails if there are none") func get() async throws {
        try await start()
        let all = try run("get", "kiosk-7")
        #expect(all.code == 0, "\(all.errors)")
        let lines = all.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("battery") == true && lines.first?.contains("62%") == true, "\(all.output)")
        let json = try run("get", "kiosk-7", "battery", "--json")
        #expect(try JSON.parse(Array(json.output.utf8)).objectValue?["generation"] == 3)
        let none = try run("get", "kiosk-7", "proximity")
        #expect(none.code == 1)
        #expect(none.errors.contains("the broker has no proximity; the device has battery, org.example.mode"))
        let unknown = try run("get", "kiosk-8")
        #expect(unknown.code == 1 && unknown.errors.contains("kiosk-8"), "\(unknown.errors)")
    }

    @Test("status is a table of the devices") func status() async throws {
        try await start()
        let text = try run("status")
        #expect(text.code == 0, "\(text.errors)")
        #expect(text.output.contains("DEVICE"))
        #expect(text.output.contains("kiosk-7  online  now        unplugged, 62%"), "\(text.output)")
        let json = try run("status", "kiosk-*", "--json")
        let rows = try JSON.parse(Array(json.output.utf8)).arrayValue
        #expect(rows?.first?.objectValue?["state"] == "online")
        #expect(try run("status", "shop-*").output == "no devices\n")
    }

    @Test("set counts its values, and deletes them") func set() async throws {
        let name = "org.example.mode"
        try await scene.connect("kiosk-7", to: broker.address())
        try await scene.publishStatus(of: "kiosk-7")
        for number in 1...3 { #expect(try run("set", "kiosk-7", name, #"{"number": \#(number)}"#).code == 0) }
        try await scene.connect("reader", to: broker.address())
        try await scene.peer.subscribe("reveille/v1/kiosk-7/desired/#")
        let message = try DesiredMessage(Array(try await scene.peer.message().text.utf8))
        #expect(message.generation == 3 && message.value["number"] == 3)
        #expect(try run("set", "--group", "shops", name, "{}").code == 0)
        #expect(try run("set", "kiosk-7", name, "--delete").code == 0)
        #expect(try await scene.peer.message().text == "")
        let invalid = try run("set", "kiosk-7", name, "{number: 1}")
        #expect(invalid.code == 64 && invalid.errors.contains("in a shell, write"), "\(invalid.errors)")
        #expect(try run("set", "kiosk-7", name).code == 64)
    }

    @Test("set begins a new instance after the largest number, since devices reject a larger one")
    func setAtTheLimit() async throws {
        try await scene.connect("setter", to: broker.address())
        try await scene.publishStatus(of: "kiosk-7")
        let topic = "reveille/v1/kiosk-7/desired/org.example.mode"
        let largest = DesiredMessage(
            instance: "a", generation: StateMessage.generationLimit, changedAt: 1_790_000_000_000_000, value: [:])
        try await scene.peer.publish(String(decoding: largest.bytes, as: UTF8.self), to: topic)
        #expect(try run("set", "kiosk-7", "org.example.mode", #"{"number": 1}"#).code == 0)
        try await scene.peer.subscribe(topic)
        let message = try DesiredMessage(Array(try await scene.peer.message().text.utf8))
        #expect(message.generation == 1 && message.instance != "a" && message.value["number"] == 1)
    }

    @Test("set without the right to read says so at once, and names the rule") func setWithoutReading() throws {
        let broker = try MosquittoBroker(
            rules: "topic write reveille/v1/+/desired/+\ntopic readwrite reveille/v1/reader/+/mark\n")
        let result = try FleetProgram.run(
            ["set", "kiosk-7", "org.example.mode", "{}"], on: "\(broker.address())", in: directory)
        #expect(result.code == 77, "\(result.errors)")
        #expect(result.errors.contains("topic readwrite reveille/v1/kiosk-7/desired/org.example.mode"))
    }

    @Test("remove deletes all that is kept of a device that is not connected") func remove() async throws {
        try await start()
        let refused = try run("remove", "kiosk-7")
        #expect(refused.code == 1 && refused.errors.contains("is connected"), "\(refused.errors)")
        try await scene.publishStatus(of: "kiosk-7", isOnline: false)
        try await scene.peer.publish("{}", to: "homeassistant/device/reveille/kiosk-7/config")
        let removed = try run("remove", "kiosk-7")
        #expect(removed.code == 0, "\(removed.errors)")
        #expect(try run("status").output == "no devices\n")
        #expect(try run("remove", "kiosk-7").code == 1)
        try await scene.peer.subscribe("homeassistant/#")
        try await scene.peer.publish("nothing was retained", to: "homeassistant/end", retain: false)
        #expect(try await scene.peer.message().text == "nothing was retained")
    }

    @Test("a broker that cannot be reached is named, with its own exit code") func noBroker() throws {
        broker.kill()
        for command in [
            ["watch"], ["status"], ["get", "a"], ["desired"], ["remove", "a"], ["set", "a", "org.example.mode", "{}"],
        ] {
            let result = try FleetProgram.run(command, on: address, in: directory)
            #expect(result.code == 69, "\(command) \(result.errors)")
            #expect(result.errors.hasPrefix("reveille-fleet: connecting to \(address)"), "\(result.errors)")
        }
        #expect(try FleetProgram.run(["status"], on: "mqtt://example.org", in: directory).code == 64)
    }

    @Test("watch continues from its file after kill -9, and counts nothing twice") func watchContinues() async throws {
        try await start()
        let file = directory.path + "/positions"
        let arguments = ["watch", "--aspect", "org.example.mode", "--json", "--state", file]
        var total: Int64 = 0
        var generation: Int64 = 1
        for round in 0..<4 {
            let watch = try FleetProgram(arguments, on: address, in: directory)
            try wait(for: "a file: \(watch.errors)") { access(file, F_OK) == 0 }
            for _ in 0..<5 {
                generation += 1
                try await scene.publish("org.example.mode", of: "kiosk-7", generation: generation)
            }
            // The file is written after the line: what it contains has been printed.
            try wait(for: "generation \(generation): \(watch.output) \(watch.errors)") {
                directory.read("positions").contains("org.example.mode=\(generation)")
            }
            watch.process.signal(SIGKILL)
            watch.process.wait()
            for line in watch.output.split(separator: "\n") {
                let event = try JSON.parse(Array(line.utf8)).objectValue
                if event?["value"] != nil { total += event?["changes"]?.integerValue ?? 0 }
            }
            #expect(total == generation - 1, "round \(round)")
            generation += 1
            try await scene.publish("org.example.mode", of: "kiosk-7", generation: generation)
        }
    }

    @Test("a state of a device whose clock is not set has a mark of the width of a time")
    func withoutClock() async throws {
        try await start()
        try await scene.peer.publish(
            #"{"instance":"aa","generation":4,"changes":1,"changedAt":7,"synchronized":false,"value":{"n":1}}"#,
            to: "reveille/v1/kiosk-7/state/org.example.mode")
        let watch = try run("watch", "--initial", "--count", "3")
        let lines = watch.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3 && lines.contains { $0.hasPrefix("no clock  kiosk-7") }, "\(watch.output)")
        #expect(lines.allSatisfy { $0.dropFirst(10).hasPrefix("kiosk-7 ") }, "\(watch.output)")
    }

    @Test("watch ends at SIGTERM, at its count and after its time") func watchEnds() async throws {
        try await start()
        let file = directory.path + "/positions"
        let watch = try FleetProgram(["watch", "--state", file], on: address, in: directory)
        try wait(for: "a file: \(watch.errors)") { access(file, F_OK) == 0 }
        watch.process.signal(SIGTERM)
        #expect(watch.process.wait() == 0)
        let counted = try run("watch", "--initial", "--count", "2", "--aspect", "battery")
        #expect(counted.code == 0, "\(counted.errors)")
        #expect(counted.output.contains("online") && counted.output.contains("unplugged, 62%"), "\(counted.output)")
        #expect(try run("watch", "--timeout", "0.5").code == 124)
        // Another run may have newer positions than one that reached no broker.
        let (stored, hole) = (inode(of: file), try LoopbackListener())
        let silent = try FleetProgram.run(
            ["watch", "--state", file, "--timeout", "0.5"], on: "mqtt://127.0.0.1:\(hole.port)", in: directory)
        #expect(silent.code == 124 && inode(of: file) == stored, "\(silent.errors)")
        try directory.write("nonsense", to: "broken")
        let broken = try run("watch", "--state", directory.path + "/broken")
        #expect(broken.code == 1 && broken.errors.contains("line 1"), "\(broken.errors)")
    }

    private func inode(of path: String) -> UInt64 {
        var status = stat()
        stat(path, &status)
        return UInt64(status.st_ino)
    }
}
