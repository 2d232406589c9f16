// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleDBusCore
import ReveilleSimulation
import Varlink

/// Message buses with services whose objects change at random, and a bus that takes what a follower publishes.
struct World {
    struct Service {
        var owner: String
        /// Whether its objects answer yet; a service may take its name before.
        var isExported = true
        var objects: [String: [String: [String: JSON]]] = [:]
    }

    var follower: Follower
    var now: Follower.Instant = 0
    let choices: Choices
    /// The services by their well-known names.
    var services: [String: Service] = [:]
    var lastOwner = 0
    private(set) var opened: Set<PropertyRule.Bus> = []
    private(set) var matches: [Int: (bus: PropertyRule.Bus, conditions: [String: String])] = [:]
    var requests: [(number: Int, call: Follower.Call)] = []
    /// Messages on their way to the follower.
    var inbox: [(bus: PropertyRule.Bus, input: Follower.Input)] = []
    /// The names that the bus has not answered for, with what it had before.
    private var unanswered: [(name: String, before: JSONObject?)] = []
    private(set) var published: [String: JSONObject] = [:]
    /// The names whose values the bus has taken, and nobody can have replaced unnoticed.
    private var sure: Set<String> = []
    private(set) var warnings: [String] = []
    /// The message buses that the follower wants, and those that cannot be reached.
    private var wanted: Set<PropertyRule.Bus> = []
    private(set) var away: Set<PropertyRule.Bus> = []
    /// Whether the message buses leave calls of their own without an answer.
    var isDriverSilent = false
    /// Whether the bus refuses values.
    var isRefusing = false
    var problem: String?

    init(_ configuration: DBusConfiguration, _ choices: Choices) {
        follower = Follower(configuration)
        self.choices = choices
    }

    // MARK: - The follower

    mutating func feed(_ input: Follower.Input) {
        for effect in follower.handle(input, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: Follower.Effect) {
        switch effect {
        case .open(let bus):
            wanted.insert(bus)
            if away.contains(bus) { return feed(.closed(bus)) }
            opened.insert(bus)
            feed(.opened(bus))
        case .close(let bus):
            wanted.remove(bus)
            lose(bus)
        case .match(let number, let bus, let rule):
            if !opened.contains(bus) { problem = "a match rule on a closed bus" }
            matches[number] = (bus, Self.conditions(rule))
        case .unmatch(let number): matches[number] = nil
        case .call(let number, let call):
            if !opened.contains(call.bus) { problem = "a call on a closed bus" }
            if call.destination == "org.freedesktop.DBus" {
                let reply = isDriverSilent ? nil : driverReply(to: call)
                inbox.append((call.bus, .reply(number, reply, isTimeout: isDriverSilent)))
            } else if number > 0 {
                requests.append((number, call))
            }
        case .publish(let name, let value):
            if unanswered.contains(where: { $0.name == name }) {
                problem = "\(name) is published before the last answer"
            }
            unanswered.append((name, published[name]))
            if published[name] == value, sure.contains(name) { problem = "\(name) is published without a change" }
            published[name] = value
        case .warn(let text): warnings.append(text)
        }
    }

    private mutating func lose(_ bus: PropertyRule.Bus) {
        opened.remove(bus)
        matches = matches.filter { $0.value.bus != bus }
        requests.removeAll { $0.call.bus == bus }
        inbox.removeAll { $0.bus == bus }
    }

    mutating func need(_ demand: Aspect, _ isNeeded: Bool) {
        sure = []
        feed(.demands([demand: isNeeded]))
    }

    mutating func restart(_ bus: PropertyRule.Bus) {
        goAway(bus)
        comeBack(bus)
    }

    /// Ends a message bus, which cannot be reached for a time.
    mutating func goAway(_ bus: PropertyRule.Bus) {
        guard away.insert(bus).inserted, opened.contains(bus) else { return }
        lose(bus)
        feed(.closed(bus))
    }

    mutating func comeBack(_ bus: PropertyRule.Bus) {
        guard away.remove(bus) != nil, wanted.contains(bus) else { return }
        opened.insert(bus)
        feed(.opened(bus))
    }

    mutating func restartReveille() {
        published = [:]
        unanswered = []
        sure = []
        feed(.busLost)
    }

    /// Another program replaces a value.
    mutating func overrule(_ name: String, _ value: JSONObject?) { published[name] = value }

    // MARK: - Message buses

    private static func conditions(_ rule: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: rule.split(separator: "',").map { part in
                let sides = part.split(separator: "=", maxSplits: 1)
                return (String(sides[0]), sides[1].filter { $0 != "'" })
            })
    }

    private func driverReply(to call: Follower.Call) -> [JSON]? {
        if call.member == "ListNames" { return [.array(services.keys.sorted().map { .string($0) })] }
        return (call.argument?.stringValue).flatMap { services[$0] }.map { [.string($0.owner)] }
    }

    mutating func send(
        from sender: String, _ path: String, _ interface: String, _ member: String, _ values: [JSON]?
    ) {
        let argument = values?.first?.stringValue ?? ""
        for (number, match) in matches {
            let fits = match.conditions.allSatisfy { key, value in
                switch key {
                case "type": value == "signal"
                case "sender": value == sender
                case "interface": value == interface
                case "member": value == member
                case "path": value == path
                case "path_namespace": value == "/" || path == value || path.hasPrefix(value + "/")
                case "arg0": argument == value
                case "arg0namespace": argument == value || argument.hasPrefix(value + ".")
                default: false
                }
            }
            guard fits else { continue }
            inbox.append((match.bus, .signal(number, path: path, values)))
        }
    }

    // MARK: - Time

    /// A service answers a call, or does not.
    mutating func answerOne(mayBeSilent: Bool) {
        guard !requests.isEmpty else { return }
        // Each service answers in order.
        let first = requests[choices.number(below: requests.count)].call.destination
        guard let index = requests.firstIndex(where: { $0.call.destination == first }) else { return }
        let request = requests.remove(at: index)
        let isSilent = mayBeSilent && choices.happens(onceIn: 20)
        inbox.append(
            (request.call.bus, .reply(request.number, isSilent ? nil : answer(request.call), isTimeout: isSilent)))
    }

    mutating func deliverOne() {
        if !inbox.isEmpty { feed(inbox.removeFirst().input) }
    }

    /// The bus takes a value, or refuses it and keeps the one before.
    mutating func acceptOne(mayRefuse: Bool = false) {
        guard !unanswered.isEmpty else { return }
        let (name, before) = unanswered.removeFirst()
        let isRefused = published[name] != nil && (isRefusing || mayRefuse && choices.happens(onceIn: 4))
        if isRefused { published[name] = before }
        if isRefused { sure.remove(name) } else { sure.insert(name) }
        feed(.published(name, isRefused: isRefused))
    }

    mutating func pass(_ time: Follower.Instant) {
        now += time
        if let deadline = follower.deadline, deadline <= now { feed(.expired) }
    }

    /// Waits until nothing is left to be done.
    mutating func settle() {
        while problem == nil {
            if !requests.isEmpty {
                answerOne(mayBeSilent: false)
            } else if !inbox.isEmpty {
                deliverOne()
            } else if !unanswered.isEmpty {
                acceptOne()
            } else if let deadline = follower.deadline {
                pass(max(0, deadline - now))
            } else {
                return
            }
        }
    }
}
