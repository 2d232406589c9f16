// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Derives the published values from the rules, the demand for their names and the messages of message buses.
///
/// Pure: inputs with a time go in, effects come out. A rule whose names nobody needs has no match rule, no call and no
/// connection. Its published values stay; the next need reads everything again, and withdraws those of missing objects.
package struct Follower: Sendable {
    /// Microseconds since boot.
    package typealias Instant = Int64

    /// The most services of a rule that are followed.
    static let serviceLimit = 64
    /// The most objects of a service that are kept and published.
    package static let objectLimit = 256
    /// The most objects of a service that are read at the same time.
    static let readLimit = 8
    /// The least time between two publications of one service.
    static let pace: Instant = 10_000
    /// The most time by which a flood of messages delays the end of a turn.
    static let patience: Instant = 2_000
    /// The pause after a first failure, which doubles with each further one.
    private static let shortestPause: Instant = 100_000
    /// The most tries that end in an error, which is an answer: a service has a hundred seconds for its objects to appear.
    ///
    /// Another try always follows a timeout, which answers nothing. Its pauses grow no further than to 51 s.
    static let tryLimit = 10

    let rules: [PropertyRule]
    private var needed: Set<Aspect> = []
    /// The message buses that are wanted, and whether they are open.
    private var buses: [PropertyRule.Bus: Bool] = [:]
    /// The rules that are followed, by their places.
    var watches: [Int: Watch] = [:]
    /// The calls without a reply, by their numbers.
    var calls: [Int: (key: ServiceKey, question: Question)] = [:]
    /// The match rules, by their numbers.
    private var matches: [Int: (key: ServiceKey, listener: Listener)] = [:]
    private var lastNumber = 0
    var publications = Publications()
    var effects: [Effect] = []

    package init(_ configuration: DBusConfiguration) {
        rules = configuration.rules
    }

    /// When ``Input/expired`` is due; `nil` for never.
    package var deadline: Instant? {
        let services = watches.values.lazy.flatMap(\.services.values)
        return services.flatMap { [$0.due, $0.retry, publications.deadline] }.compactMap(\.self).min()
    }

    package mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        effects = []
        switch input {
        case .demands(let demands):
            needed.subtract(demands.keys)
            needed.formUnion(demands.filter(\.value).keys)
            follow()
        case .busLost:
            needed = []
            follow()
            publications = Publications()
        case .published(let name, let isRefused): publications.answered(name, isRefused: isRefused, at: now, &effects)
        case .opened(let bus):
            guard buses[bus] == false else { break }
            buses[bus] = true
            for index in followed(on: bus) { begin(index) }
        case .closed(let bus): close(bus)
        case .reply(let number, let values, let isTimeout):
            guard let (key, question) = calls.removeValue(forKey: number) else { break }
            take(values, isTimeout: isTimeout, to: question, of: key, at: now)
        case .signal(let number, let path, let values):
            guard let (key, listener) = matches[number] else { break }
            take(values, from: path, by: listener, of: key, at: now)
        case .expired: expire(at: now)
        }
        if let deadline, deadline + Self.patience <= now { expire(at: now) }
        return effects
    }

    /// Begins and ends rules as their names are needed.
    private mutating func follow() {
        for (index, rule) in rules.enumerated() where needed.contains(rule.name.demand) != (watches[index] != nil) {
            if watches[index] != nil {
                end(index)
            } else {
                watches[index] = Watch()
                publications.doubt { $0.rule == index }
                if buses[rule.bus] == true { begin(index) }
            }
        }
        for bus in PropertyRule.Bus.allCases where followed(on: bus).isEmpty == (buses[bus] != nil) {
            effects.append(buses[bus] == nil ? .open(bus) : .close(bus))
            buses[bus] = buses[bus] == nil ? false : nil
        }
    }

    private func followed(on bus: PropertyRule.Bus) -> [Int] { watches.keys.filter { rules[$0].bus == bus }.sorted() }

    private mutating func end(_ index: Int) {
        for name in (watches[index]?.services ?? [:]).keys { drop(ServiceKey(rule: index, name: name)) }
        if let match = watches.removeValue(forKey: index)?.owners { unmatch(match) }
        calls = calls.filter { $0.value.key.rule != index }
    }

    /// Ends the state of a message bus that is gone with all its names, or that could not be reached.
    private mutating func close(_ bus: PropertyRule.Bus) {
        guard buses[bus] != nil else { return }
        buses[bus] = false
        for index in followed(on: bus) {
            end(index)
            watches[index] = Watch()
        }
        // They ended with the connection.
        effects = []
        publications.withdraw(&effects) { rules[$0.rule].bus == bus }
    }

    static func pause(after failures: Int) -> Instant { shortestPause << (min(failures, tryLimit) - 1) }

    mutating func ask(_ question: Question, of key: ServiceKey, _ call: Call) {
        lastNumber += 1
        calls[lastNumber] = (key, question)
        effects.append(.call(lastNumber, call))
    }

    mutating func match(_ listener: Listener, of key: ServiceKey, _ rule: String) -> Int {
        lastNumber += 1
        matches[lastNumber] = (key, listener)
        effects.append(.match(lastNumber, rules[key.rule].bus, "type='signal'," + rule))
        return lastNumber
    }

    mutating func unmatch(_ number: Int) {
        matches[number] = nil
        effects.append(.unmatch(number))
    }
}
