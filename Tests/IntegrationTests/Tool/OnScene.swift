// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A bus and runs of `reveille on` that watch its battery.
struct OnScene {
    let bus: BusProcess
    let low = ["battery", "level < 0.1"]
    /// A command that prints the event.
    static let printing = ["cat"]

    init(_ bus: BusProcess) {
        self.bus = bus
    }

    init() throws {
        bus = try BusProcess()
    }

    func path(_ name: String) -> String { bus.directory.path + "/" + name }

    func start(
        _ options: [String] = [], condition: [String]? = nil, _ command: [String] = printing,
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let run = try RunningProgram(
            ["on"] + options + (condition ?? low) + ["--"] + command, in: bus.directory,
            environment: environment.merging(["REVEILLE_ADDRESS": bus.address]) { $1 })
        try wait(for: "the subscription") { try run.process.hasEnded || subscription(of: run) != nil }
        return run
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramRun {
        try ProgramRun(
            ["on"] + arguments, in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address].merging(environment) { $1 })
    }

    func subscription(of run: RunningProgram) throws -> JSONObject? {
        try bus.client().subscriptions().first { $0.integer("pid") == Int(run.process.pid) }
    }

    func post(_ levels: Double...) throws {
        let client = try bus.client()
        for level in levels { try client.post(level: level) }
    }

    /// The complete events that a printing command has received.
    func events(of run: RunningProgram) throws -> [JSONObject] {
        try run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
            try JSON.parse(Array($0.utf8)).objectValue
        }
    }

    /// Waits until the command has received exactly the events with these levels.
    func waitForRuns(of run: RunningProgram, at levels: [Double]) throws {
        try wait(for: "runs at \(levels), not \(run.output)\(run.errors)") {
            let found = try events(of: run).compactMap(\.level)
            guard found.count <= levels.count, found == Array(levels.prefix(found.count)) else {
                throw Trouble("runs at \(found) instead of \(levels)")
            }
            return found == levels
        }
    }
}
