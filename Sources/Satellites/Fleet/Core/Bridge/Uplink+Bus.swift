// SPDX-License-Identifier: Apache-2.0

import Varlink

extension Uplink {
    mutating func startBus(
        _ instance: String, _ states: [BusState], isResumed: Bool, _ effects: inout [Effect]
    ) {
        bus = .present
        reading = nil
        if instance != self.instance || !isResumed { forgetGenerations() }
        self.instance = instance
        for state in states { _ = note(state, &effects) }
        let present = Set(states.map(\.aspect))
        for name in entries.keys.filter({ !present.contains($0) }).sorted() { withdraw(name) }
        sendAll(&effects)
        readStale(&effects)
    }

    private mutating func forgetGenerations() {
        for (name, entry) in entries where !entry.isRemoved {
            entries[name]?.acknowledged = nil
            entries[name]?.isHeld = false
            // A state under way belongs to the other instance: its acknowledgement moves no position.
            if entry.inFlight != nil { entries[name]?.inFlight = Self.foreign }
            entries[name]?.pending = nil
        }
        stale = [:]
    }

    /// Notes states, and sends each of them unless an older one is under way.
    mutating func take(_ states: [BusState], _ effects: inout [Effect]) {
        send(states.filter { note($0, &effects) }.map(\.aspect), &effects)
        readStale(&effects)
    }

    /// Notes a state; returns whether it is to be sent.
    private mutating func note(_ state: BusState, _ effects: inout [Effect]) -> Bool {
        guard publishes(state.aspect) else { return false }
        guard entries[state.aspect] != nil || entries.count < StatusMessage.aspectLimit else {
            let reason = "a device can have at most \(StatusMessage.aspectLimit) aspects"
            effects.append(.leaveOut(state.aspect, because: reason))
            return false
        }
        var entry = entries[state.aspect] ?? Entry()
        var state = state
        if state.aspect == "defaults" {
            let all = state.value.objectValue?["domains"]?.arrayValue ?? []
            let allowed = all.filter { configuration.domains.contains($0.objectValue?["domain"]?.stringValue ?? "") }
            // A difference in other domains does not count. A state without allowed domains replaces a state that had
            // some.
            guard !allowed.isEmpty || (!state.isDifference && entry.mayBeHeld) else { return false }
            // Members that a later bus adds beside the domains are left out, since they may name other domains.
            state.value = ["domains": .array(allowed)]
        }
        let known = entry.pending?.generation ?? entry.acknowledged
        let isMissing = !entry.isHeld && entry.pending == nil
        guard isMissing || state.generation > known ?? -1 else { return false }
        if state.isDifference {
            stale[state.aspect] = state.generation
            return false
        }
        if state.value.isNull, !entry.mayBeHeld {
            // The broker has never had the name.
            entries[state.aspect] = nil
            return false
        }
        state.changes = min(StateMessage.generationLimit, state.changes + (entry.pending?.changes ?? 0))
        entry.pending = state
        entry.isRefused = false
        entries[state.aspect] = entry
        return true
    }

    /// Notes that a name was withdrawn while there was no subscription.
    ///
    /// The bus has forgotten the name, and answers a request for it with a generation above all earlier ones.
    private mutating func withdraw(_ name: String) {
        guard let entry = entries[name], !entry.isRemoved, entry.pending?.value.isNull != true else { return }
        if entry.mayBeHeld { stale[name] = 0 } else { entries[name] = nil }
    }

    mutating func takeRead(_ instance: String, _ states: [BusState], _ effects: inout [Effect]) {
        guard let asked = reading else { return }
        reading = nil
        // The bus did not answer in time, or has begun anew.
        guard instance == self.instance else { return readStale(&effects) }
        let answered = Set(states.map(\.aspect))
        for name in asked where !answered.contains(name) { stale[name] = nil }
        // The answer can be older than an event that came before it.
        let current = states.filter { state in stale[state.aspect].map { state.generation >= $0 } ?? false }
        for state in current { stale[state.aspect] = nil }
        take(current, &effects)
    }

    mutating func readStale(_ effects: inout [Effect]) {
        guard phase == .online, bus != .absent, reading == nil, !stale.isEmpty else { return }
        let names = Array(stale.keys.sorted().prefix(Self.readLimit))
        reading = names
        effects.append(.readStates(names))
    }
}
