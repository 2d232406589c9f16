// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

/// The states that callers and the system give programs: foreground, background, suspended, frozen, or ending.
///
/// Pure: inputs come with the time and with facts, and leave ``effects``. Decisions about several subscriptions are
/// made when the turn ends, by ``advance(with:at:)``.
struct Suspending {
    var suspensions: [Suspension]
    /// The ends that processes have declared.
    var ends: [ProcessKey: DeclaredEnd] = [:]
    /// The processes in the background that are approaching their declared end.
    var endings: [(process: ProcessKey, departure: Departure)] = []
    /// The processes that have subscribed since the suspensions were last advanced.
    var arrivals: [ProcessKey] = []
    var wakes: [UInt64: Wake] = [:]
    var lastWake: UInt64 = 0
    /// The holds of each connection that are cleared once a fresh sample has been taken.
    var waking: [UInt64: HoldReasons] = [:]
    var deadlines = HoldDeadlines()
    /// Whether the end of this turn has something to advance.
    var isDue = false
    var effects: [Effect] = []
    /// The number of effects that have been taken.
    private var taken = 0

    /// Creates the state of a bus that thaws the cgroups left frozen by an earlier bus: their programs cannot ask.
    init(formerCgroups: [String] = []) {
        suspensions = formerCgroups.map { Suspension(cgroup: $0, freeze: FreezeState(isFrozen: true), owesWake: true) }
        effects = formerCgroups.map { .log(.notice, "thawing \($0), which the last bus left frozen") }
        isDue = !formerCgroups.isEmpty
    }

    /// Returns the next effect to carry out, in their order.
    mutating func nextEffect() -> Effect? {
        guard taken == effects.count else {
            taken += 1
            return effects[taken - 1]
        }
        taken = 0
        // Each wake needs a few, and the thaw of a large program many.
        effects.removeAll(keepingCapacity: effects.count < 16)
        return nil
    }

    /// Whether a program is about to be suspended or ended, so that its tasks and its reading matter.
    var hasDepartures: Bool { !endings.isEmpty || suspensions.contains { $0.departure != nil } }

    /// The processes whose facts ``advance(with:at:)`` needs.
    var concerned: Set<ProcessKey> {
        suspensions.reduce(into: departing.union(arrivals)) { if $1.isMoving { $0.formUnion($1.processes) } }
    }

    /// The processes whose next step depends on the events that they have read.
    var departing: Set<ProcessKey> {
        suspensions.reduce(into: Set(endings.map(\.process))) { if $1.departure != nil { $0.formUnion($1.processes) } }
    }

    /// The time of the next ``advance(with:at:)``, in microseconds since boot; `nil` for never.
    ///
    /// Each turn asks for it, usually with nothing suspended; copying this whole value would cost more.
    @inline(__always)
    var next: UInt64? { suspensions.isEmpty && endings.isEmpty ? deadlines.next : nextOfPrograms }

    private var nextOfPrograms: UInt64? {
        let suspended = suspensions.flatMap { [$0.departure?.deadline, deadline(of: $0)] }
        return (endings.map(\.departure.deadline) + suspended + [deadlines.next]).compactMap(\.self).min()
    }

    /// Returns when an answer is overdue, or a thaw is tried again; a thaw for nobody waits while others are suspended.
    func deadline(of suspension: Suspension) -> UInt64? {
        let isBlocked =
            suspension.processes.isEmpty
            && suspensions.contains { !$0.processes.isEmpty && $0.overlaps(suspension.cgroup) }
        return isBlocked ? nil : suspension.freeze.deadline
    }

    /// A subscription has begun.
    mutating func join(_ connection: UInt64, _ process: ProcessKey, endsInBackground: Bool, isFrozen: Bool) {
        if endsInBackground { ends[process, default: DeclaredEnd()].declarants.insert(connection) }
        if isFrozen { hold(.frozen, connection) }
        if !suspensions.isEmpty, !arrivals.contains(process) { arrivals.append(process) }
        isDue = isDue || !suspensions.isEmpty || !endings.isEmpty
    }

    /// A connection is about to close, perhaps with the last subscription of a process.
    mutating func leave(_ connection: UInt64, _ process: ProcessKey?, isLast: Bool) {
        waking[connection] = nil
        deadlines.set(nil, connection, .requested)
        for index in suspensions.indices {
            suspensions[index].callers.removeAll { $0 == connection }
            suspensions[index].wakers.removeAll { $0 == connection }
            if isLast { suspensions[index].processes.removeAll { $0 == process } }
        }
        guard let process else { return }
        isDue = isDue || !suspensions.isEmpty || !endings.isEmpty
        ends[process]?.declarants.remove(connection)
        guard isLast else { return }
        cancelEnd(of: process)
        ends[process] = nil
    }

    func hasDeclaredEnd(_ process: ProcessKey) -> Bool { ends[process]?.declarants.isEmpty == false }

    // MARK: - Suspend

    /// Returns the suspension of a program, even before the program is frozen.
    func index(of process: ProcessKey?) -> Int? {
        process.flatMap { process in suspensions.firstIndex { $0.processes.contains(process) } }
    }

    /// A call wants the program of a subscription in the background to be suspended.
    mutating func suspend(_ subject: Subject, for caller: Caller, at now: UInt64) {
        guard let process = subject.process else {
            return answer(caller, "process \(subject.id) cannot be followed")
        }
        if hasDeclaredEnd(process) {
            return answer(caller, "process \(subject.id) has declared that it ends in the background")
        }
        guard let index = index(of: process) else { return effects.append(.examine(process, caller)) }
        if suspensions[index].freeze.isFrozen, suspensions[index].freeze.isSettled { return answer(caller, nil) }
        if let connection = caller.connection { suspensions[index].callers.append(connection) }
        // It may be on the way back.
        if !suspensions[index].freeze.wantsFrozen, suspensions[index].departure == nil {
            suspensions[index].departure = Departure(at: now)
        }
        isDue = true
    }

    private mutating func answer(_ caller: Caller, _ refusal: String?) {
        if let connection = caller.connection { effects.append(.answer(connection, refusal: refusal)) }
    }

    /// The cgroup of a program has been found, with the subscribers in it, or the reason why it may not be frozen.
    mutating func examined(
        _ process: ProcessKey, _ caller: Caller?, cgroup: String = "", _ programs: [ProgramFacts] = [],
        refusal: String? = nil, at now: UInt64
    ) {
        guard let caller else { return freeze(process, cgroup, programs, refusal, at: now) }
        if let refusal { return answer(caller, refusal) }
        // A cgroup is frozen and thawed together with the cgroups below it, so a single suspension must decide for all.
        if let other = suspensions.first(where: { !$0.processes.isEmpty && $0.overlaps(cgroup) }) {
            return answer(caller, "the cgroup \(other.cgroup), above or below its own, is suspended or about to be")
        }
        if let obstacle = obstacle(programs, in: cgroup) { return answer(caller, obstacle) }
        var suspension = suspensions.first { $0.cgroup == cgroup } ?? Suspension(cgroup: cgroup)
        // The caller would be frozen too, and could not wake the program.
        if suspension.contains(caller.cgroup), !programs.contains(where: { $0.id == caller.id }) {
            return answer(caller, "process \(caller.id), the caller, is in the same cgroup, \(cgroup)")
        }
        suspension.origin = process
        suspension.processes = programs.map(\.process)
        suspension.departure = Departure(at: now)
        suspension.callers = [caller.connection].compactMap(\.self)
        suspensions.removeAll { $0.cgroup == cgroup }
        suspensions.append(suspension)
        isDue = true
    }

    /// Returns why programs may not be frozen now: another subscription in their cgroup is in the foreground.
    func obstacle(_ programs: [ProgramFacts], in cgroup: String) -> String? {
        programs.first { !$0.isInBackground }.map {
            "process \($0.id) in the same cgroup, \(cgroup), has a subscription in the foreground"
        }
    }
}
