// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

extension Uplink {
    /// Stands for the generation of another instance of the bus that is under way.
    static let foreign: Int64 = -1

    mutating func connect(sessionPresent: Bool, at now: Int64, _ effects: inout [Effect]) {
        guard phase == .connecting else { return }
        phase = .online
        connectedAt = now
        hasDesired = false
        let formerAspects = sessionPresent ? heldAspects : []
        if !sessionPresent || !isComplete || !isTrusted(at: now) {
            // The broker may have forgotten states. Even with the session, it may have restarted from an older memory.
            isComplete = false
            completedAt = now
            for name in entries.keys { entries[name]?.isHeld = false }
        }
        absence.hasSlept = false
        for name in entries.keys { entries[name]?.isRefused = false }
        status = StatusTrack(aspects: formerAspects, taken: status.taken)
        if configuration.wakeEvery != nil { effects.append(.wait(Self.patience)) }
        sendStatus(&effects)
        // The first reply of a new subscription has all missing states, and the states of a wake, at once.
        let lacksStates = entries.values.contains { !$0.isHeld && $0.pending == nil }
        if bus != .absent, lacksStates || configuration.wakeEvery != nil {
            bus = .subscribing
            effects.append(.subscribeAgain)
        } else if configuration.wakeEvery == nil {
            effects.append(.setForeground(true))
        }
        sendAll(&effects)
        readStale(&effects)
    }

    /// Whether the broker probably still has all acknowledged states: only after a sleep, and for a limited time, since
    /// the device does not notice a broker's restart between two wakes.
    private func isTrusted(at now: Int64) -> Bool {
        guard absence.hasSlept, let completedAt else { return false }
        return now - completedAt < Self.trust
    }

    mutating func sendAll(_ effects: inout [Effect]) { send(entries.keys.sorted(), &effects) }

    mutating func send(_ names: [String], _ effects: inout [Effect]) {
        guard phase == .online else { return }
        let names = names.filter { name in
            entries[name].map { $0.pending != nil && $0.inFlight == nil && !$0.isRefused } ?? false
        }
        let new = names.filter { entries[$0]?.mayBeHeld == false }
        if !new.isEmpty {
            // If the bridge dies now, the next one must know that the broker may have the names.
            for name in new { entries[name]?.mayBeHeld = true }
            effects.append(.save(isUrgent: true))
        }
        for name in names { publish(name, &effects) }
    }

    private mutating func publish(_ name: String, _ effects: inout [Effect]) {
        guard let entry = entries[name], let state = entry.pending else { return }
        entries[name]?.inFlight = state.generation
        let changes = entry.acknowledged.map { state.generation - $0 } ?? state.changes
        var message = StateMessage(
            instance: instance, generation: state.generation, changes: min(max(0, changes), state.generation),
            changedAt: state.changedAt, isSynchronized: isClockSynchronized, value: state.value)
        var payload = entry.isRemoved ? [] : message.bytes
        if payload.count > FleetTopic.payloadLimit {
            // The former state is not true any more.
            message.value = .null
            effects.append(.leaveOut(name, because: "the message has \(payload.count) bytes"))
            payload = message.bytes
        }
        effects.append(
            .publish(.state(name), topic: FleetTopic.state(device, name).text, payload: payload, expiry: nil))
    }

    mutating func noteAnswer(
        to publication: Publication, isTaken: Bool, at now: Int64, _ effects: inout [Effect]
    ) {
        guard case .state(let name) = publication else {
            status.isInFlight = false
            return leave(at: now, &effects)
        }
        guard var entry = entries[name], let generation = entry.inFlight else { return }
        entry.inFlight = nil
        let isLast = entry.pending?.generation == generation
        let isGone = isTaken && isLast && entry.pending?.value.isNull == true
        if isTaken {
            if generation != Self.foreign {
                entry.acknowledged = generation
                entry.isHeld = true
            }
            if isLast { entry.pending = nil }
            effects.append(.save(isUrgent: false))
        } else {
            entry.isRefused = isLast
        }
        entries[name] = isGone ? nil : entry
        send([name], &effects)
    }

    mutating func disconnect(_ isTakenOver: Bool, at now: Int64, fraction: Double, _ effects: inout [Effect]) {
        guard phase == .connecting || phase == .online || phase == .leaving else { return }
        let wasOnline = phase != .connecting
        absence.hasSlept = false
        letSleep(&effects)
        absence.isMachineAsleep = false
        for name in entries.keys { entries[name]?.inFlight = nil }
        reading = nil
        if isStopping { return end(isClean: false, &effects) }
        if let connectedAt, wasOnline {
            let isGood = now - connectedAt >= Self.steady
            shortConnections = isGood ? 0 : shortConnections + 1
            if isGood { backoff.reset() }
            if shortConnections >= Self.suspicion, !isTakenOver {
                effects.append(.suspectClone)
                backoff.slowDown()
            }
        }
        if isTakenOver { backoff.slowDown() }
        connectedAt = nil
        phase = .offline
        if wasOnline, configuration.wakeEvery == nil { effects.append(.setForeground(false)) }
        effects.append(.wait(backoff.next(fraction: fraction)))
    }

    mutating func endWaiting(at now: Int64, fraction: Double, _ effects: inout [Effect]) {
        switch phase {
        case .asleep where absence.isMachineAsleep: wakeMachine(fraction: fraction, &effects)
        case .offline, .asleep:
            phase = .connecting
            effects += [.connect, .wait(Self.patience)]
        // The broker does not answer. Its will says that the device is gone.
        case .leaving where isStopping: end(isClean: false, &effects)
        case .connecting, .leaving:
            effects.append(.disconnect(isClean: false))
            disconnect(false, at: now, fraction: fraction, &effects)
        case .online where configuration.wakeEvery != nil: sayGoodbye(&effects)
        case .online, .ended: break
        }
    }

    mutating func stop(_ effects: inout [Effect]) {
        // A second signal does not wait.
        guard !isStopping else { return end(isClean: false, &effects) }
        isStopping = true
        if phase == .online || phase == .leaving { sayGoodbye(&effects) } else { end(isClean: true, &effects) }
    }

    mutating func sayGoodbye(_ effects: inout [Effect]) {
        phase = .leaving
        effects.append(.wait(isStopping ? Self.farewell : Self.patience))
        if !status.isInFlight { sendStatus(&effects) }
    }

    /// Ends the connection after the last status; if an earlier status was under way, sends the last one first.
    private mutating func leave(at now: Int64, _ effects: inout [Effect]) {
        guard phase == .leaving, !status.isInFlight else { return }
        guard status.sent == currentStatus else { return sendStatus(&effects) }
        if isStopping { return end(isClean: true, &effects) }
        for name in entries.keys { entries[name]?.inFlight = nil }
        reading = nil
        phase = .asleep
        absence.hasSlept = true
        backoff.reset()
        shortConnections = 0
        let pause = absence.isMachineAsleep ? Self.patience : timeUntilWake(at: now)
        effects += [.disconnect(isClean: true), .save(isUrgent: true), .wait(pause)]
        letSleep(&effects)
    }

    private mutating func end(isClean: Bool, _ effects: inout [Effect]) {
        phase = .ended
        effects += [.save(isUrgent: true), .disconnect(isClean: isClean), .end]
    }
}
