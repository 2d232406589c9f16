// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

final class SensorProxyClient {
    static let name = "net.hadess.SensorProxy"
    static let path = "/net/hadess/SensorProxy"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let run: RunningProgram
    private let input: Int32
    private var calls: Int64 = 0

    init(_ scene: SensorProxyScene) throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Trouble("socketpair: \(errno)")
        }
        defer { close(ends[0]) }
        input = ends[1]
        run = try RunningProgram(
            [Package.python + "claimant.py"], program: "/usr/bin/python3", in: scene.bus.directory,
            environment: scene.environment, descriptors: [0: ends[0]])
        try wait(for: "the client: \(run.errors)") { try lines.first?["ready"] != nil }
    }

    deinit {
        close(input)
    }

    /// Leaves D-Bus without a release, as a crash would.
    func kill() {
        run.process.signal(SIGKILL)
        run.process.wait()
    }

    private var lines: [JSONObject] {
        get throws {
            // The text after the last newline is still being written.
            try run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
                try JSON.parse(Array($0.utf8)).objectValue
            }
        }
    }

    private func send(_ request: JSONObject) {
        let line = Array("\(JSON.object(request))\n".utf8)
        _ = Glibc.send(input, line, line.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends a call without waiting for its reply, and returns its number.
    @discardableResult
    func begin(
        _ member: String, _ arguments: [JSON] = [], of interface: String = name, at path: String = path,
        signature: String? = nil
    ) -> Int64 {
        calls += 1
        send([
            "id": .integer(calls), "path": .string(path), "interface": .string(interface), "member": .string(member),
            "signature": .string(signature ?? String(repeating: "s", count: arguments.count)),
            "arguments": .array(arguments),
        ])
        return calls
    }

    /// Waits for the reply to a call; an error of D-Bus is its short name.
    func reply(to call: Int64) throws -> JSON {
        var reply: JSONObject?
        try wait(for: "reply \(call): \(run.output) \(run.errors)") {
            reply = try lines.first { $0["id"]?.integerValue == call }
            return reply != nil
        }
        if let error = reply?["error"]?.stringValue {
            return .string(String(error.split(separator: ".").last ?? ""))
        }
        return reply?["value"] ?? .null
    }

    @discardableResult
    func call(
        _ member: String, _ arguments: [JSON] = [], of interface: String = name, at path: String = path,
        signature: String? = nil
    ) throws -> JSON {
        try reply(to: begin(member, arguments, of: interface, at: path, signature: signature))
    }

    func get(_ property: String) throws -> JSON {
        try call("Get", [.string(Self.name), .string(property)], of: Self.properties)
    }

    /// The properties of each signal so far.
    var signals: [JSONObject] {
        get throws { try lines.compactMap { $0["signal"]?.objectValue } }
    }

    func waitForSignal(_ properties: JSONObject) throws {
        try wait(for: "\(properties) instead of \(run.output)") { try signals.last == properties }
    }
}
