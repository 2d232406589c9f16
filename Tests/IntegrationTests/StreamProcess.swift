// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Varlink

/// A subscriber in a separate process, which can be stopped, frozen and killed.
final class StreamProcess {
    let process: ChildProcess
    private let bus: BusProcess
    private let output: String

    /// Subscribes and waits for the first reply.
    init(_ bus: BusProcess, _ parameters: String) throws {
        self.bus = bus
        output = "stream-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let file = open(bus.directory.path + "/" + output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        process = try ChildProcess(
            [BusProcess.program, "call", "--more", "Subscribe", parameters],
            environment: ChildProcess.environment.merging(["REVEILLE_ADDRESS": "unix:" + bus.socket]) { $1 },
            descriptors: [1: file])
        try wait(for: "the first reply") { try replies.count == 1 }
    }

    /// The replies that the process has read, including the first.
    var replies: [JSONObject] {
        get throws {
            let text = bus.directory.read(output)
            // The text after the last newline is still being written.
            return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
                try JSON.parse(Array($0.utf8)).objectValue
            }
        }
    }

    /// The events of each reply except the first.
    var delivered: [[JSONObject]] {
        get throws { try replies.dropFirst().map(\.events) }
    }

    /// The number of changes in the delivered events.
    var changes: Int {
        get throws { try delivered.joined().reduce(0) { $0 + $1.integer("changes") } }
    }

    /// Returns the subscription as listed by the bus; `nil` after it has ended.
    func subscription(on control: RawClient? = nil) throws -> JSONObject? {
        let reply = try (control ?? bus.client()).call("ListSubscriptions")
        let all = reply.parameters["subscriptions"]?.arrayValue ?? []
        return all.compactMap(\.objectValue).first { $0.integer("pid") == Int(process.pid) }
    }

    /// Waits until the bus holds the subscription for exactly these reasons.
    func waitUntilHeld(_ reasons: [String], on control: RawClient? = nil) throws {
        let wanted = JSON.array(reasons.map { .string($0) })
        try wait(for: "holds to be \(reasons)") { try subscription(on: control)?["held"] == wanted }
    }
}

extension JSONObject {
    var events: [JSONObject] { self["events"]?.arrayValue?.compactMap(\.objectValue) ?? [] }
}

/// Waits until a condition is met.
func wait(for what: String, seconds: Int = 60, until condition: () throws -> Bool) throws {
    let deadline = Deadline(seconds: seconds)
    while try !condition() {
        guard !deadline.hasPassed else { throw Trouble("waited for \(what)") }
        deadline.pause()
    }
}
