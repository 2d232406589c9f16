// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A real bus, a real mosquitto and a real bridge between them.
final class BridgeScene {
    static let program = ChildProcess.sibling("reveille-fleet")
    static let device = "kiosk-7"

    let bus: BusProcess
    private(set) var broker: ChildProcess
    private(set) var bridge: RunningProgram
    private let configuration: String
    let brokerSocket: String

    /// Starts all three, and waits until the device is online.
    ///
    /// - Parameters:
    ///   - configuration: The keys besides the device and the broker.
    ///   - busConfiguration: The configuration of the bus.
    /// - Throws: `Trouble` if one of them does not start.
    init(
        _ configuration: String = #"aspects: ["battery", "orientation", "org.example.*"]"#,
        bus busConfiguration: String = "{}"
    ) throws {
        bus = try BusProcess(configuration: busConfiguration)
        brokerSocket = bus.directory.path + "/broker"
        self.configuration = configuration
        try bus.directory.write(
            """
            listener 0 \(brokerSocket)
            allow_anonymous true
            user root
            persistence true
            persistence_location \(bus.directory.path)/
            """, to: "broker.conf")
        broker = try Self.startBroker(in: bus.directory)
        try Self.waitForSocket(brokerSocket, bus.directory)
        bridge = try Self.startBridge("bridge", configuration, bus, brokerSocket)
    }

    private static let packages =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/.build-mosquitto"
    static let mosquitto = packages + "/usr/sbin/mosquitto"
    /// Whether the broker was unpacked by `Scripts/setup test`; in continuous integration, a missing one is a failure.
    static let isAvailable = access(mosquitto, X_OK) == 0 || getenv("CI") != nil

    private static func startBroker(in directory: TemporaryDirectory) throws -> ChildProcess {
        let log = try directory.open("broker.log")
        defer { close(log) }
        var environment = Environment.all
        environment["LD_LIBRARY_PATH"] = ["/usr/lib", "/lib"].flatMap { place in
            ["x86_64", "aarch64"].map { packages + place + "/\($0)-linux-gnu" }
        }.joined(separator: ":")
        return try ChildProcess(
            [mosquitto, "-c", directory.path + "/broker.conf"], environment: environment,
            descriptors: [1: log, 2: log])
    }

    private static func waitForSocket(_ path: String, _ directory: TemporaryDirectory) throws {
        try wait(for: "the broker: \(directory.read("broker.log"))") { (try? RawClient(path)) != nil }
    }

    private static func startBridge(
        _ name: String, _ configuration: String, _ bus: BusProcess, _ broker: String
    ) throws -> RunningProgram {
        try bus.directory.write(
            "{ device: \"\(device)\", broker: \"unix:\(broker)\", \(configuration) }", to: name + ".json5")
        return try RunningProgram(
            [
                "bridge", "--config", bus.directory.path + "/\(name).json5", "--state",
                bus.directory.path + "/\(name).json",
            ],
            program: program, in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
    }

    deinit {
        // It would write into the directory that is being removed.
        crashBroker()
    }

    // MARK: - Parties

    /// Stops the broker as a service manager would: it saves what it retains.
    func stopBroker() {
        broker.signal(SIGTERM)
        broker.wait()
    }

    /// Kills the broker, so that it has what it saved last.
    func crashBroker() {
        broker.signal(SIGKILL)
        broker.wait()
    }

    func startBroker() throws {
        broker = try Self.startBroker(in: bus.directory)
        try Self.waitForSocket(brokerSocket, bus.directory)
    }

    func killBridge() {
        bridge.process.signal(SIGKILL)
        bridge.process.wait()
    }

    func startBridge() throws {
        bridge = try Self.startBridge("bridge", configuration, bus, brokerSocket)
    }

    /// Starts another bridge of the device, with the same file.
    func anotherBridge() throws -> RunningProgram {
        try Self.startBridge("bridge", configuration, bus, brokerSocket)
    }

    // MARK: - Topics

    static let status = "reveille/v1/\(device)/status"

    static func state(_ aspect: String) -> String { "reveille/v1/\(device)/state/\(aspect)" }

    static func desired(_ name: String) -> String { "reveille/v1/\(device)/desired/\(name)" }

    func observer() throws -> TopicClient { try TopicClient(brokerSocket) }

    @discardableResult
    func waitUntilOnline(_ observer: TopicClient, with aspects: [JSON]) throws -> JSONObject {
        try observer.wait(for: Self.status) { $0["online"] == true && $0["aspects"] == .array(aspects) }
    }

    // MARK: - Changes

    func setPose(_ pose: String) throws {
        try post(#"{"orientation":{"pose":"\#(pose)","planar":null}}"#)
    }

    func post(_ reading: String) throws {
        let reply = try bus.client().call("Post", reading)
        if let error = reply.error { throw Trouble("Post \(reading): \(error)") }
    }

    func publish(_ name: String, _ value: JSON) throws {
        let reply = try bus.client().call("Publish", "{\"aspect\":\"\(name)\",\"value\":\(value)}")
        if let error = reply.error { throw Trouble("Publish \(name): \(error)") }
    }

    func value(of name: String) throws -> JSON? { try event(of: name)["value"] }

    func generation(of name: String) throws -> Int64 { try #require(try event(of: name)["generation"]?.integerValue) }

    private func event(of name: String) throws -> JSONObject {
        let reply = try bus.client().call("GetState", "{\"aspects\":[\"\(name)\"]}")
        return try #require(reply.parameters.objects("events").first)
    }
}
