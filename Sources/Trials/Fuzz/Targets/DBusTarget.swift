// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import ReveilleSimulation
import Varlink

/// Checks that `reveille-dbus` keeps its promises to the bus and to the message buses, whatever these send.
///
/// The input is a line with the configuration, followed by steps: a byte for the step, one for what it concerns, and for
/// messages a line with their values in JSON.
enum DBusTarget {
    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        guard let configuration = try? DBusConfiguration(parsing: Array(input.line().utf8)) else { return }
        var run = FollowerRun(configuration)
        while !input.rest.isEmpty { try run.step(&input) }
        try run.end()
    }
}

private struct FollowerRun {
    /// The most bytes of a value that the bus accepts.
    private static let sizeLimit = 4_096

    private let demands: [Aspect]
    private var follower: Follower
    private var now: Follower.Instant = 0
    private var buses: [PropertyRule.Bus: Bool] = [:]
    private var matches: [Int: PropertyRule.Bus] = [:]
    private var calls: [(number: Int, call: Follower.Call)] = []
    private var unanswered: [String] = []

    init(_ configuration: DBusConfiguration) {
        demands = configuration.demands.aspects
        follower = Follower(configuration)
    }

    mutating func step(_ input: inout FuzzInput) throws(Broken) {
        let (kind, choice) = (input.byte() % 8, input.byte())
        switch kind {
        case 0: try feed(.demands([demands[choice / 2 % demands.count]: choice % 2 == 0]))
        case 1, 2: try answer(choice, with: kind == 1 ? Self.values(input.line()) : nil)
        case 3:
            let path = input.line()
            let numbers = matches.keys.sorted()
            guard !numbers.isEmpty else { return }
            try feed(.signal(numbers[choice % numbers.count], path: path, Self.values(input.line())))
        case 4:
            guard !unanswered.isEmpty else { return }
            try feed(.published(unanswered.remove(at: choice % unanswered.count), isRefused: choice > 200))
        case 5: try change(choice % 2 == 0 ? .session : .system, isOpen: choice / 2 % 4 != 0)
        case 6:
            guard choice == 0 else { return }
            unanswered = []
            try feed(.busLost)
        default: try pass(Int64(choice) * 1_000_000)
        }
    }

    /// Checks that nothing is left without need.
    mutating func end() throws(Broken) {
        try feed(.demands(Dictionary(uniqueKeysWithValues: demands.map { ($0, false) })))
        try require(buses.isEmpty && matches.isEmpty, "without need there is no connection and no match rule")
        try requireEqual(follower.deadline, nil, "a deadline without need")
    }

    /// Returns the values of a message; `nil` for one that cannot be read, which is an empty line.
    private static func values(_ text: String) -> [JSON]? {
        guard !text.isEmpty else { return nil }
        let value = (try? JSON.parse(Array(text.utf8))) ?? .null
        return value.arrayValue ?? [value]
    }

    private mutating func answer(_ choice: Int, with values: [JSON]?) throws(Broken) {
        guard !calls.isEmpty else { return }
        let (number, call) = calls.remove(at: choice % calls.count)
        // A message bus is not hostile.
        let owner = values.map { _ in [JSON.string(":1.\(choice)")] }
        try feed(.reply(number, call.member == "GetNameOwner" ? owner : values, isTimeout: choice > 200))
    }

    private mutating func change(_ bus: PropertyRule.Bus, isOpen: Bool) throws(Broken) {
        guard buses[bus] == !isOpen else { return }
        buses[bus] = isOpen
        if !isOpen { lose(bus) }
        try feed(isOpen ? .opened(bus) : .closed(bus))
    }

    private mutating func lose(_ bus: PropertyRule.Bus) {
        matches = matches.filter { $0.value != bus }
        calls.removeAll { $0.call.bus == bus }
    }

    private mutating func pass(_ time: Int64) throws(Broken) {
        now += time
        // Repeated reads are due at once.
        for _ in 0..<2 where follower.deadline ?? .max <= now { try feed(.expired) }
        try require(follower.deadline ?? .max > now, "what is due is done")
    }

    private mutating func feed(_ input: Follower.Input) throws(Broken) {
        for effect in follower.handle(input, at: now) { try take(effect) }
    }

    private mutating func take(_ effect: Follower.Effect) throws(Broken) {
        switch effect {
        case .open(let bus):
            try requireEqual(buses[bus], nil, "a message bus that is opened")
            buses[bus] = false
        case .close(let bus):
            try require(buses.removeValue(forKey: bus) != nil, "only open message buses are closed")
            lose(bus)
        case .match(let number, let bus, _):
            try require(buses[bus] == true && matches[number] == nil, "a match rule is new, on an open message bus")
            matches[number] = bus
        case .unmatch(let number): matches[number] = nil
        case .call(let number, let call):
            try require(buses[call.bus] == true, "calls are on open message buses")
            if number > 0 { calls.append((number, call)) }
        case .publish(let name, let value):
            try require(!unanswered.contains(name), "\(name) is published once the bus has answered")
            try require(Aspect(name)?.isPublished == true, "\(name) is a name that can be published")
            try require(demands.contains { $0.spans(Aspect(stringLiteral: name)) }, "\(name) is of a rule")
            try require(
                JSON.object(value ?? [:]).bytes.count <= Self.sizeLimit, "\(name) has a value that the bus accepts")
            unanswered.append(name)
        case .warn: break
        }
    }
}
