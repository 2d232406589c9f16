// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Subscribers to a pattern with more names than a call has room for their positions.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ManyNamesTests {
    /// Names of the maximum length, whose positions exceed the 64 KiB of a call.
    private static let names = (100..<330).map { name("n\($0)") }
    /// The last name in order.
    private static let marker = name("z")

    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
        let publisher = try bus.client()
        for name in Self.names { try Self.publish(name, #"{"step":0}"#, on: publisher) }
    }

    private static func name(_ word: String) -> String {
        "org.example." + word + String(repeating: "x", count: 243 - word.utf8.count)
    }

    private static func publish(_ name: String, _ value: String, on publisher: RawClient) throws {
        let reply = try publisher.call("Publish", #"{"aspect":"\#(name)","value":\#(value)}"#)
        guard reply.error == nil else { throw Trouble("Publish: \(reply)") }
    }

    /// Changes some names at both ends of the order, publishes a new one, and then ``marker``.
    ///
    /// - Returns: The number of changes of each event that is due.
    private func change(step: Int) throws -> [String: Int] {
        let publisher = try bus.client()
        let value = #"{"step":\#(step)}"#
        let (first, last) = (Self.names[0], Self.names[Self.names.count - 1])
        for name in [first, last] {
            try Self.publish(name, #"{"step":-1}"#, on: publisher)
            try Self.publish(name, value, on: publisher)
        }
        let withdrawn = [Self.names[step], Self.names[Self.names.count - 1 - step]]
        for name in withdrawn { try Self.publish(name, "null", on: publisher) }
        let new = Self.name("m\(step)")
        try Self.publish(new, value, on: publisher)
        try Self.publish(Self.marker, value, on: publisher)
        return [first: 2, last: 2, withdrawn[0]: 1, withdrawn[1]: 1, new: 1, Self.marker: 1]
    }

    /// Kills the bus once it has saved its state, starts it again, and changes names while a subscriber is stopped.
    private func crash(whileStopped process: ChildProcess, step: Int) throws -> [String: Int] {
        process.signal(SIGSTOP)
        defer { process.signal(SIGCONT) }
        try bus.waitUntilSaved()
        bus.kill()
        try bus.restart()
        return try change(step: step)
    }

    /// Checks that events are exactly those that are due, and that names that were withdrawn have no state.
    private func check(_ events: [JSONObject], _ due: [String: Int], state: String) {
        #expect(events.count == due.count)
        let changes = Dictionary(events.map { ($0.aspect, $0.integer("changes")) }, uniquingKeysWith: +)
        let differences = Set(changes.keys).union(due.keys).filter { changes[$0] != due[$0] }.sorted()
        #expect(changes == due, "\(differences.map { ($0.prefix(16), changes[$0] ?? 0, due[$0] ?? 0) })")
        #expect(events.filter { $0[state]?.objectValue == nil }.count == 2)
    }

    @Test(
        .enabled(if: Node.isThere || Node.isRequired, "no Node.js"),
        arguments: ClientLanguage.allCases)
    func clientGetsOneEventForEachNameThatChanged(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["org.example.*"], ["initial": true])
        #expect(Set(try client.next(Self.names.count).map(\.aspect)) == Set(Self.names))
        for step in 1...2 {
            let due = try crash(whileStopped: client.process, step: step)
            check(try client.next(due.count), due, state: "state")
        }
        // A later process continues in the same way.
        let positions = try client.positions()
        client.process.signal(SIGKILL)
        let due = try change(step: 3)
        let later = try ClientProgram(language, on: bus)
        try later.subscribe(to: ["org.example.*"], ["resume": positions])
        check(try later.next(due.count), due, state: "state")
        try Self.publish(Self.marker, #"{"step":4}"#, on: bus.client())
        #expect(try later.next()?.aspect == Self.marker)
    }

    @Test(
        "a name that is gone after a loss of the saved state is withdrawn",
        .enabled(if: Node.isThere || Node.isRequired, "no Node.js"),
        arguments: ClientLanguage.allCases)
    func newInstanceWithdrawsNames(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.subscribe(to: ["org.example.*"], ["initial": true])
        _ = try client.next(Self.names.count)
        client.process.signal(SIGSTOP)
        #expect(bus.stop() == 0)
        unlink(bus.socket + ".state.json")
        try bus.restart()
        try Self.publish(Self.names[0], #"{"step":1}"#, on: bus.client())
        client.process.signal(SIGCONT)
        let events = try client.next(Self.names.count)
        #expect(Set(events.map(\.aspect)) == Set(Self.names))
        #expect(events.filter { $0.state != nil }.map(\.aspect) == [Self.names[0]])
        try Self.publish(Self.marker, #"{"step":1}"#, on: bus.client())
        #expect(try client.next()?.aspect == Self.marker)
    }

    @Test func watchPrintsOneEventForEachNameThatChanged() throws {
        let state = bus.directory.path + "/positions"
        func watch() throws -> RunningProgram {
            try RunningProgram(
                ["watch", "org.example.*", "--json", "--state", state, "--address", bus.address], in: bus.directory)
        }
        func events(_ run: RunningProgram) throws -> [JSONObject] {
            try run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
                try JSON.parse(Array($0.utf8)).objectValue
            }
        }
        var run = try watch()
        // The positions at the start are stored, and the next run continues from there.
        try wait(for: "positions") { access(state, F_OK) == 0 }
        for step in 1...3 {
            let due = try crash(whileStopped: run.process, step: step)
            try wait(for: "the events: \(run.errors)") { try events(run).contains { $0.aspect == Self.marker } }
            try wait(for: "all events") { try events(run).count >= due.count }
            check(try events(run), due, state: "value")
            let states = try due.keys.map { try bus.client().state(of: $0) }
            try wait(for: "their positions") {
                let contents = bus.directory.read("positions")
                return states.allSatisfy { state in
                    guard state["value"]?.objectValue != nil else { return !contents.contains(state.aspect) }
                    return contents.contains(#""\#(state.aspect)":\#(state.integer("generation"))"#)
                }
            }
            #expect(run.stop() == 0)
            run = try watch()
            // A program that has not read the first reply ends with the bus.
            try wait(for: "the subscription") { try bus.client().subscriptions().first?["held"] == [] }
        }
        #expect(run.output.isEmpty)
        #expect(run.stop() == 0)
    }
}
