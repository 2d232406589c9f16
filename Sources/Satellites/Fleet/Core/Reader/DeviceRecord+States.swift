// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

extension DeviceRecord {
    /// The earliest plausible time: the start of 2015, in microseconds since 1970.
    private static let earliestTime: Int64 = 1_420_070_400_000_000
    /// The latest plausible time: the start of 2100.
    private static let latestTime: Int64 = 4_102_444_800_000_000
    /// The seconds after which a reader follows a device that still sends older states: many times longer than the
    /// redelivery of a queue.
    private static let continuation: Int64 = 600

    private enum Relation {
        case duplicate
        case next(changes: Int64?, isNewInstance: Bool = false)
    }

    mutating func take(
        _ message: StateMessage, of aspect: String, isRetained: Bool, in connection: Int, at now: Int64
    ) -> Ledger.Outcome {
        guard var state = states[aspect] else { return Ledger.Outcome() }
        // Only the first message of a connection shows what the broker has; later ones may be duplicates.
        let isFirst = isRetained && state.connection != connection
        let (relation, problem) = relation(of: message, to: &state, aspect, isFirst: isFirst, at: now)
        state.connection = connection
        guard case .next(let changes, let isNewInstance) = relation else {
            states[aspect] = state
            return Ledger.Outcome(problem: problem)
        }
        let seen = state.seen
        advance(&state, to: FleetPosition(instance: message.instance, generation: message.generation))
        states[aspect] = state
        let hasTime = message.isSynchronized && (Self.earliestTime..<Self.latestTime).contains(message.changedAt)
        let event = DeviceEvent(
            device: device, aspect: aspect, value: message.value, instance: message.instance,
            generation: message.generation, changeCount: changes, isNewInstance: isNewInstance,
            changedAt: hasTime ? Timestamp(microseconds: message.changedAt) : nil, previous: seen)
        return Ledger.Outcome(.state(event), problem: problem ?? (hasTime ? nil : .unknownTime(device)))
    }

    private func relation(
        of message: StateMessage, to state: inout State, _ aspect: String, isFirst: Bool, at now: Int64
    ) -> (Relation, FleetProblem?) {
        guard let seen = state.seen else { return (.next(changes: nil), nil) }
        guard seen.instance == message.instance else { return relation(of: message, toOther: state, seen) }
        let step = message.generation - seen.generation
        if abs(step) > Ledger.plausibleStep {
            // If the last state was wrong, ignoring this one would leave the reader at the wrong state.
            return (
                .next(changes: nil),
                .implausible(device, aspect: aspect, from: seen.generation, to: message.generation)
            )
        }
        if step >= 0 {
            if step > 0 { state.older = nil }
            // The consumer may have seen the removal of the state.
            return (step == 0 && !state.isAbsent ? .duplicate : .next(changes: step), nil)
        }
        let isAccepted = state.continues(at: message.generation, at: now)
        let problem = FleetProblem.wentBack(
            device, aspect: aspect, from: seen.generation, to: message.generation, isAccepted: isAccepted)
        return isAccepted ? (.next(changes: nil), problem) : (.duplicate, isFirst ? problem : nil)
    }

    private func relation(
        of message: StateMessage, toOther state: State, _ seen: FleetPosition
    ) -> (Relation, FleetProblem?) {
        let next = Relation.next(changes: nil, isNewInstance: true)
        let previous = state.previous.flatMap { $0.instance == message.instance ? $0.generation : nil }
        guard previous != nil || previousBus == message.instance else { return (next, nil) }
        let shared = (
            next, FleetProblem.sharedIdentity(device, instances: [message.instance, seen.instance].sorted())
        )
        // A late message of the previous bus, or a second device: the status says which bus the device uses, even if
        // another bus's state came later.
        if status != nil, instance == message.instance { return shared }
        if status != nil, bus == seen.instance { return (.duplicate, nil) }
        if let previous, bus != message.instance, message.generation <= previous { return (.duplicate, nil) }
        return shared
    }

    private mutating func advance(_ state: inout State, to position: FleetPosition) {
        if let seen = state.seen, seen.instance != position.instance {
            let isKnown = state.previous?.instance == position.instance || previousBus == position.instance
            state.previous = seen
            // A new bus is newer than the last status.
            if !isKnown { _ = use(position.instance) }
        }
        state.seen = position
        state.older = nil
    }
}

extension DeviceRecord.State {
    /// Takes an older generation, and returns whether the device continues from that generation.
    ///
    /// Duplicate and reordered messages are older only for a moment. After a false message with a high generation, the
    /// device's true states are older for good, and must not be ignored until the device has caught up.
    fileprivate mutating func continues(at generation: Int64, at now: Int64) -> Bool {
        guard let older else {
            older = (generation, now)
            return false
        }
        guard generation > older.generation else { return false }
        self.older = (generation, older.since)
        return now - older.since >= DeviceRecord.continuation
    }
}
