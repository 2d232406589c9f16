// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Varlink

extension Uplink {
    mutating func startBus(
        _ instance: String, _ states: [BusState], isResumed: Bool, _ effects: inout [Effect]
    ) {
        isBusPresent = true
        isSubscribing = false
        isReading = false
        if instance != self.instance || !isResumed { forgetGenerations() }
        self.instance = instance
        for state in states { note(state, &effects) }
        let present = Set(states.map(\.aspect))
        for name in entries.keys.filter({ !present.contains($0) }).sorted() { withdraw(name) }
        sendAll(&effects)
        readStale(&effects)
    }

    /// Notes that generations count anew.
    private mutating func forgetGenerations() {
        for (name, entry) in entries where !entry.isRemoved {
            entries[name]?.acknowledged = nil
            entries[name]?.isHeld = false
            // What is under way belongs to the other instance: its acknowledgement moves no position.
            if entry.inFlight != nil { entries[name]?.inFlight = Self.foreign }
            entries[name]?.pending = nil
        }
        stale = [:]
    }

    mutating func loseBus() {
        isBusPresent = false
        isSubscribing = false
        isReading = false
    }

    /// Notes a state, and sends it unless an older one is under way.
    mutating func note(_ state: BusState, _ effects: inout [Effect]) {
        guard settings.aspects.contains(state.aspect) else { return }
        guard entries[state.aspect] != nil || entries.count < StatusMessage.aspectLimit else {
            return effects.append(
                .leftOut(
                    aspect: state.aspect, reason: "a device can have at most \(StatusMessage.aspectLimit) aspects"))
        }
        var entry = entries[state.aspect] ?? Entry()
        var state = state
        if state.aspect == "defaults" {
            guard let allowed = settings.domains.allowed(state.value) else { return }
            state.value = allowed
        }
        let known = entry.pending?.generation ?? entry.acknowledged
        let isMissing = !entry.isHeld && entry.pending == nil
        guard isMissing || state.generation > known ?? -1 else { return }
        if state.isDifference {
            stale[state.aspect] = state.generation
            return readStale(&effects)
        }
        if state.value.isNull, !entry.mayBeHeld {
            // The broker has never had the name.
            entries[state.aspect] = nil
            return
        }
        state.changes += entry.pending?.changes ?? 0
        entry.pending = state
        entry.isRefused = false
        entries[state.aspect] = entry
        send(state.aspect, &effects)
    }

    /// Notes that a name was withdrawn while there was no subscription.
    ///
    /// The bus has forgotten it. If it is asked for the name, it answers with a generation above all earlier ones.
    private mutating func withdraw(_ name: String) {
        guard let entry = entries[name], !entry.isRemoved, entry.pending?.value.isNull != true else { return }
        if entry.mayBeHeld { stale[name] = 0 } else { entries[name] = nil }
    }

    mutating func takeRead(_ instance: String, _ states: [BusState], _ effects: inout [Effect]) {
        guard isReading else { return }
        isReading = false
        guard instance == self.instance else { return }
        let answered = Set(states.map(\.aspect))
        for name in read where !answered.contains(name) { stale[name] = nil }
        for state in states {
            // The answer can be older than an event that came before it.
            guard let announced = stale[state.aspect], state.generation >= announced else { continue }
            stale[state.aspect] = nil
            note(state, &effects)
        }
        readStale(&effects)
    }

    mutating func readStale(_ effects: inout [Effect]) {
        guard phase == .online, isBusPresent, !isReading, !stale.isEmpty else { return }
        isReading = true
        read = Array(stale.keys.sorted().prefix(Self.readLimit))
        effects.append(.readStates(read))
    }
}
