// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import ReveilleTool

/// A bus, a file of rules, and the runs of `reveille rules` that follow it.
final class RulesScene {
    let bus: BusProcess
    private(set) var program: RunningProgram?

    /// A command for rules: `"$LOGS/member" NAME` prints a number of the event.
    private static let member = """
        #!/bin/sh
        exec sed "s/.*\\"$1\\":\\([0-9]*\\).*/\\1/"

        """

    init(_ rules: String) throws {
        bus = try BusProcess()
        try bus.directory.write(Self.member, to: "member")
        try #require(chmod(path("member"), 0o700) == 0)
        try write(rules)
    }

    func path(_ name: String) -> String { bus.directory.path + "/" + name }

    /// Replaces the file as an editor does.
    func write(_ rules: String) throws {
        try bus.directory.write(rules + "\n", to: "rules.new")
        try #require(rename(path("rules.new"), path("rules")) == 0)
    }

    private var arguments: [String] { ["rules", path("rules"), "--state", path("rules.json")] }
    private var environment: [String: String] { ["REVEILLE_ADDRESS": bus.address, "LOGS": bus.directory.path] }

    func run(_ options: [String]) throws -> ProgramRun {
        try ProgramRun(arguments + options, in: bus.directory, environment: environment)
    }

    /// Starts the program, and waits until it follows the rules.
    func start() throws {
        program = try RunningProgram(arguments, in: bus.directory, environment: environment)
        try waitUntilFollowed()
    }

    /// Waits until all rules of the file have a position in this instance of the bus, and their entries exist.
    func waitUntilFollowed() throws {
        let program = try #require(program)
        let rules = RulesFile(path: path("rules")).parse(Array(bus.directory.read("rules").utf8)).rules
        try wait(for: "the rules to be followed: \(program.errors)") {
            guard !program.process.hasEnded else { throw Trouble("ended: \(program.errors); bus: \(bus.log)") }
            guard let state = try stored(), let stored = state["rules"]?.arrayValue else { return false }
            let isComplete = stored.map { $0.objectValue?["rule"]?.stringValue } == rules.map(\.text)
            let pid = Int(program.process.pid)
            return try isComplete && bus.client().subscriptions().contains { $0.integer("pid") == pid }
                && stored.allSatisfy { $0.objectValue?["generation"] != nil }
                && state["instance"]?.stringValue == bus.client().instance()
                && Set(entries().map { $0["entry"]?.objectValue?["id"]?.stringValue })
                    == Set(rules.compactMap { $0.entry?.id })
        }
    }

    /// The state of the rules; `nil` before it is stored.
    func stored() throws -> JSONObject? {
        guard access(path("rules.json"), F_OK) == 0 else { return nil }
        return try JSON.parse(Array(bus.directory.read("rules.json").utf8)).objectValue
    }

    func publish(_ name: String, _ value: String) throws {
        let reply = try bus.client().call("Publish", #"{"aspect":"\#(name)","value":\#(value)}"#)
        guard reply.error == nil else { throw Trouble("Publish: \(reply)") }
    }

    /// The lines of a file that commands write.
    func lines(_ name: String = "ran") -> [String] {
        bus.directory.read(name).split(separator: "\n").map(String.init)
    }

    func waitForLines(_ lines: [String]) throws {
        try wait(for: "\(lines), not \(self.lines()); \(program?.errors ?? "")") { self.lines() == lines }
    }

    func entries() throws -> [JSONObject] {
        try bus.client().call("org.reveille.Schedule.List").parameters.objects("entries")
    }
}
