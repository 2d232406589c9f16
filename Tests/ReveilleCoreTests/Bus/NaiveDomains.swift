// SPDX-License-Identifier: Apache-2.0

@testable import ReveilleCore

/// The chosen part of settings, word by word and key by key.
func naivePart(of settings: Defaults, _ words: [String]) -> Defaults {
    var domains: [Defaults.Domain] = []
    for domain in settings.domains {
        var part = domain
        part.values = [:]
        var isChosen = false
        for word in words {
            let halves = word.split(separator: ":", maxSplits: 1).map(String.init)
            let isName =
                halves[0].hasSuffix("*") ? domain.name.hasPrefix(halves[0].dropLast()) : domain.name == halves[0]
            guard isName else { continue }
            for (key, value) in domain.values
            where halves.count == 1 || domain.isOpaque || key.hasPrefix(halves[1]) { part.values[key] = value }
            isChosen = isChosen || halves.count == 1
        }
        if isChosen || !part.values.isEmpty { domains.append(part) }
    }
    return Defaults(domains: domains)
}

extension NaiveBus {
    /// Returns the topic of an aspect for a subscriber, who may have chosen domains of the settings.
    func topic(_ aspect: Aspect, _ domains: DomainSelection?) -> Topic? {
        aspect == .defaults ? domains.map { parts[$0] } ?? topics[aspect] : topics[aspect]
    }

    func oldest(_ aspect: Aspect, _ domains: DomainSelection?) -> Int {
        (topic(aspect, domains)?.current.generation ?? 0) - history
    }

    /// Adds a change to a topic, and to the feeds of the subscribers that have it.
    mutating func append(
        _ reading: Reading, to domains: DomainSelection?, after last: NaiveChange, at time: Timestamp
    ) {
        let aspect = reading.aspect
        var change = NaiveChange(generation: last.generation + 1, sequence: sequence, time: time, reading: reading)
        if let settings = last.reading.defaults { change.touched = change.touched(after: settings) }
        if let domains { parts[domains]?.changes.append(change) } else { topics[aspect]?.changes.append(change) }
        for (id, subscriber) in subscribers where aspect != .defaults || subscriber.domains == domains {
            subscribers[id]?.feeds[aspect]?.queue.append(change.known(subscriber.wantsSupply))
        }
    }

    /// Begins to count the changes of chosen domains.
    mutating func track(_ domains: DomainSelection, at time: Timestamp) {
        guard parts[domains] == nil, let all = topics[.defaults]?.current, let settings = all.reading.defaults
        else { return }
        let start = NaiveChange(
            generation: sequence + 1, sequence: all.sequence, time: all.time,
            reading: .defaults(naivePart(of: settings, domains.words)))
        parts[domains] = Topic(changes: [start], start: sequence + 1)
    }
}

extension NaiveChange {
    /// The keys that differ from the settings before, by the path of their domain.
    func touched(after before: Defaults) -> [String: Set<String>] {
        guard let now = reading.defaults else { return [:] }
        var touched: [String: Set<String>] = [:]
        for path in Set((before.domains + now.domains).map(\.path)) {
            let old = before.domains.first { $0.path == path }
            let new = now.domains.first { $0.path == path }
            guard old != new else { continue }
            let keys = Set((old?.values ?? [:]).keys).union((new?.values ?? [:]).keys)
            touched[path] = keys.filter { $0 != "" && old?.values[$0] != new?.values[$0] }
        }
        return touched
    }
}

extension Event {
    /// The event without what a naive bus does not know of settings: keys of several changes, and superseded states.
    var withoutSettings: Event {
        guard aspect == .defaults else { return self }
        var event = self
        (event.reading, event.settings) = (.unknown(.defaults), [])
        return event
    }
}
