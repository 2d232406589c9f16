// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Ledger {
    /// The largest difference of generations that is believed: a century of a hundred changes a second is less.
    package static let plausibleStep: Int64 = 1_000_000_000_000
    /// The earliest time that a right clock can have: the start of 2015, in microseconds since 1970.
    private static let earliestTime: Int64 = 1_420_070_400_000_000
    /// The latest time that is believed: the start of 2100.
    private static let latestTime: Int64 = 4_102_444_800_000_000

    /// How a state relates to the last one that was seen.
    private enum Relation {
        case duplicate
        case next(changes: Int64?, isNewInstance: Bool = false)
    }

    /// Takes a state of a device.
    package mutating func take(
        _ state: StateMessage, of device: DeviceID, aspect: String, isRetained: Bool, at now: Int64
    ) -> Outcome {
        guard let (place, index) = place(of: aspect, of: device), let old = records[place]?.aspects[index] else {
            return Outcome(problem: report(tooLarge(device), at: now))
        }
        if !isRetained { records[place]?.heard = now }
        setConnection(connection, of: index, in: place)
        // Only the first message of a connection shows what the broker has; later ones may be duplicates.
        let isFirst = isRetained && old.connection != connection
        let (relation, problem) = relation(of: state, to: old, in: place, isFirst: isFirst, at: now)
        guard case .next(let changes, let isNewInstance) = relation else {
            return Outcome(problem: problem.flatMap { report($0, at: now) })
        }
        let previous = texts[old.instance].map { FleetPosition(instance: $0, generation: old.generation) }
        advance(place, index, to: state)
        let hasTime = state.isSynchronized && (Self.earliestTime..<Self.latestTime).contains(state.changedAt)
        let event = DeviceEvent(
            device: device, aspect: aspect, value: state.value, instance: state.instance,
            generation: state.generation, changes: changes, isNewInstance: isNewInstance,
            changedAt: hasTime ? state.changedAt : nil, previous: previous)
        let found = problem ?? (hasTime ? nil : .unknownTime(device))
        return Outcome(.state(event), problem: found.flatMap { report($0, at: now) })
    }

    private mutating func relation(
        of state: StateMessage, to old: DeviceRecord.Aspect, in place: Int, isFirst: Bool, at now: Int64
    ) -> (Relation, FleetProblem?) {
        guard let record = records[place], let instance = texts[old.instance] else { return (.next(changes: nil), nil) }
        guard instance == state.instance else {
            return relation(of: state, toOther: old, in: record)
        }
        let name = texts[old.name] ?? ""
        let step = state.generation - old.generation
        let key = Suspects.Key(place: place, aspect: old.name)
        if abs(step) > Self.plausibleStep {
            // Ignoring it would leave the reader at the wrong one of the two if the last one was the lie.
            return (
                .next(changes: nil),
                .implausible(record.device, aspect: name, from: old.generation, to: state.generation)
            )
        }
        if step >= 0 {
            suspects.interrupt(key)
            // The consumer may have seen its removal.
            return (step == 0 && !old.isAbsent ? .duplicate : .next(changes: step), nil)
        }
        func wentBack(isAccepted: Bool) -> FleetProblem {
            .wentBack(
                record.device, aspect: name, from: old.generation, to: state.generation, isAccepted: isAccepted)
        }
        switch suspects.judge(state.generation, of: key, at: now) {
        case .duplicate: return (.duplicate, isFirst ? wentBack(isAccepted: false) : nil)
        case .continuation: return (.next(changes: nil), wentBack(isAccepted: true))
        case .secondSequence: return (.duplicate, .sharedIdentity(record.device, instances: [instance]))
        }
    }

    /// Compares a state with the last one of another instance.
    private func relation(
        of state: StateMessage, toOther old: DeviceRecord.Aspect, in record: DeviceRecord
    ) -> (Relation, FleetProblem?) {
        let next = Relation.next(changes: nil, isNewInstance: true)
        let (bus, isPrevious) = (texts[record.bus], texts[old.previousInstance] == state.instance)
        guard isPrevious || texts[record.previousBus] == state.instance else { return (next, nil) }
        let instances = [state.instance, texts[old.instance] ?? ""].sorted()
        let shared = (next, FleetProblem.sharedIdentity(record.device, instances: instances))
        // A late message of the bus before, or a second device: the status says which bus the device uses, even if a
        // state of another bus came after it.
        if record.status != nil, texts[record.instance] == state.instance { return shared }
        if record.status != nil, bus == texts[old.instance] { return (.duplicate, nil) }
        if isPrevious, bus != state.instance, state.generation <= old.previousGeneration { return (.duplicate, nil) }
        return shared
    }

    /// Makes a state the last one that was seen.
    mutating func advance(_ place: Int, _ index: Int, to state: StateMessage) {
        guard var aspect = records[place]?.aspects[index] else { return }
        if texts[aspect.instance] != state.instance {
            let isFirst = aspect.instance == SharedTexts.none
            let isKnown = texts[aspect.previousInstance] == state.instance
            texts.release(aspect.previousInstance)
            aspect.previousInstance = aspect.instance
            aspect.previousGeneration = aspect.generation
            aspect.instance = texts.use(state.instance)
            suspects.forget(Suspects.Key(place: place, aspect: aspect.name))
            // A bus that was never seen is newer than the last status.
            if !isFirst, !isKnown, texts[records[place]?.previousBus ?? SharedTexts.none] != state.instance {
                _ = use(state.instance, in: place)
            }
        }
        aspect.generation = state.generation
        records[place]?.aspects[index] = aspect
    }

    /// Notes the bus that a device uses, and returns whether it is the one before the last.
    mutating func use(_ instance: String, in place: Int) -> Bool {
        guard let record = records[place], texts[record.bus] != instance else { return false }
        let isKnown = texts[record.previousBus] == instance
        let bus = texts.use(instance)
        texts.release(record.previousBus)
        records[place]?.previousBus = record.bus
        records[place]?.bus = bus
        return isKnown
    }
}
