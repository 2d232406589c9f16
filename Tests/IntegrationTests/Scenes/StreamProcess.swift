// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting
import Varlink

/// A subscriber in a separate process, which can be stopped, frozen and killed.
final class StreamProcess {
    private let bus: BusProcess
    private let run: RunningProgram
    var process: ChildProcess { run.process }

    init(_ bus: BusProcess, _ parameters: String) throws {
        self.bus = bus
        run = try RunningProgram(
            ["call", "--more", "Subscribe", parameters, "--address", bus.address], in: bus.directory)
        try wait(for: "the first reply") { try replies.count == 1 }
    }

    /// The replies that the process has read, including the first.
    var replies: [JSONObject] {
        get throws {
            // The text after the last newline is still being written.
            try run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
                try JSON.parse(Array($0.utf8)).objectValue
            }
        }
    }

    /// The events of each reply except the first.
    var delivered: [[JSONObject]] {
        get throws { try replies.dropFirst().map(\.events) }
    }

    var changes: Int {
        get throws { try delivered.joined().reduce(0) { $0 + $1.integer("changes") } }
    }

    /// Returns the subscription as listed by the bus; `nil` after it has ended.
    func subscription(on control: RawClient? = nil) throws -> JSONObject? {
        try (control ?? bus.client()).subscriptions().first { $0.integer("pid") == Int(process.pid) }
    }

    /// Waits until the bus holds the subscription for exactly these reasons.
    func waitUntilHeld(_ reasons: [String], on control: RawClient? = nil) throws {
        let wanted = JSON.array(reasons.map { .string($0) })
        try wait(for: "holds to be \(reasons)") { try subscription(on: control)?["held"] == wanted }
    }
}
