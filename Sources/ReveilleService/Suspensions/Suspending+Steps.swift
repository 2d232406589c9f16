// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

// The steps of programs when a turn ends, and the answers of the system.

extension Suspending {
    /// A turn ends; the facts are those of the ``concerned`` processes.
    mutating func advance(with facts: [ProcessKey: ProgramFacts], at now: UInt64) {
        isDue = false
        effects += deadlines.takeDue(at: now).map { .expire($0.reason, $0.connection) }
        let arrived = arrivals.compactMap { facts[$0] }
        arrivals = []
        for index in suspensions.indices {
            if let deadline = deadline(of: suspensions[index]), deadline <= now {
                take(suspensions[index].freeze.expire(at: now), index)
            }
            takeIn(arrived, index)
            move(index, with: suspensions[index].processes.compactMap { facts[$0] }, at: now)
        }
        suspensions.removeAll { $0.processes.isEmpty && !$0.isMoving && !$0.freeze.expectsAnswers }
        let ending = endings
        endings = ending.compactMap { moveToEnd($0.process, $0.departure, facts[$0.process], at: now) }
    }

    /// Adds processes that have subscribed meanwhile, even if the cgroup is just being frozen.
    private mutating func takeIn(_ arrived: [ProgramFacts], _ index: Int) {
        guard !suspensions[index].processes.isEmpty else { return }
        let processes = suspensions[index].processes
        suspensions[index].processes += arrived.filter {
            suspensions[index].contains($0.cgroup) && !processes.contains($0.process)
        }.map(\.process)
    }

    /// Takes the next step of a suspension.
    private mutating func move(_ index: Int, with programs: [ProgramFacts], at now: UInt64) {
        let suspension = suspensions[index]
        if suspension.departure == nil, !suspension.isThawed {
            for member in programs.flatMap(\.members) where !member.isFrozen { hold(.frozen, member.connection) }
        }
        if suspension.departure != nil || suspension.freeze.wantsFrozen {
            // Without its processes, nobody could wake it, and other processes in the cgroup would stay frozen.
            let obstacle =
                suspension.processes.isEmpty
                ? "the subscription has ended" : obstacle(programs, in: suspension.cgroup)
            if let obstacle { takeBack(index, because: obstacle, at: now) }
        }
        if suspensions[index].owesWake, suspensions[index].isThawed { endThaw(index, of: programs) }
        let (departure, step) = step(suspensions[index].departure, of: programs, at: now)
        suspensions[index].departure = departure
        switch step {
        case nil: break
        case .announce: setPhase(.suspended, of: suspension.processes)
        case .carryOut:
            // The process that was to be suspended may have ended while others remain.
            let origin = suspension.processes.first { $0 == suspension.origin } ?? suspension.processes.first
            suspensions[index].examined = origin
            if let origin { effects.append(.examine(origin, nil)) }
        }
    }

    /// Takes the next step of programs, or waits for subscribers that have not read.
    private mutating func step(
        _ departure: Departure?, of programs: [ProgramFacts], at now: UInt64
    ) -> (departure: Departure?, step: Departure.Step?) {
        guard var departure else { return (nil, nil) }
        let unread = programs.flatMap(\.members).filter { !$0.hasRead }
        let step = departure.next(at: now, hasTasks: programs.contains(where: \.hasTasks), isRead: unread.isEmpty)
        if step == nil { effects += unread.map { .awaitReading($0.connection) } }
        // The next step depends on whether the announcement has been read.
        if step == .announce { isDue = true }
        return (step == .carryOut ? nil : departure, step)
    }

    private mutating func setPhase(_ phase: LifecyclePhase, of processes: [ProcessKey], from former: Lifecycle? = nil) {
        effects += processes.map { .setPhase(phase, $0, from: former) }
    }

    // MARK: - Freeze

    /// Freezes a cgroup, whose processes may have moved or subscribed meanwhile.
    mutating func freeze(
        _ process: ProcessKey, _ cgroup: String, _ programs: [ProgramFacts], _ refusal: String?, at now: UInt64
    ) {
        // The process may have left meanwhile, and callers still wait.
        guard let index = suspensions.firstIndex(where: { $0.examined == process }) else { return }
        suspensions[index].examined = nil
        let hasMoved = refusal == nil && cgroup != suspensions[index].cgroup
        if let reason = hasMoved ? "it has moved to another cgroup, \(cgroup)" : refusal {
            return takeBack(index, because: reason, at: now)
        }
        suspensions[index].processes = programs.map(\.process)
        if let obstacle = obstacle(programs, in: cgroup) { return takeBack(index, because: obstacle, at: now) }
        guard !programs.contains(where: \.hasTasks) else {
            suspensions[index].departure = Departure(at: now)
            return isDue = true
        }
        setPhase(.suspended, of: suspensions[index].processes)
        // From now on nothing is sent, even before the kernel reports that the processes are frozen.
        for member in programs.flatMap(\.members) { hold(.frozen, member.connection) }
        suspensions[index].owesWake = true
        answerWakers(index)
        request(suspensions[index].freeze.want(frozen: true, at: now), index)
        // A program that could not be thawed before is frozen already.
        if suspensions[index].freeze.isSettled { answerCallers(index, nil) }
    }

    private mutating func request(_ request: FreezeState.Request?, _ index: Int) {
        guard let request else { return }
        let cgroup = suspensions[index].cgroup
        effects.append(request.freezes ? .freeze(cgroup, request.number) : .thaw(cgroup, request.number))
        isDue = true
    }

    /// The system has answered a request: why it failed, or `nil`.
    mutating func answered(_ cgroup: String, _ request: Int, failure: String?, at now: UInt64) {
        guard let index = suspensions.firstIndex(where: { $0.cgroup == cgroup }) else { return }
        take(suspensions[index].freeze.answered(request, failure: failure, at: now), index)
    }

    private mutating func take(_ answer: (outcome: FreezeState.Outcome?, next: FreezeState.Request?), _ index: Int) {
        let suspension = suspensions[index]
        switch answer.outcome {
        case nil: break
        case .frozen: if suspension.freeze.wantsFrozen { answerCallers(index, nil) }
        case .notFrozen(let reason): answerCallers(index, "\(suspension.cgroup) could not be frozen: \(reason)")
        case .thawed:
            suspensions[index].hasFailed = false
            isDue = true
        case .notThawed(let reason):
            let text = "\(suspension.cgroup) could not be thawed: \(reason)"
            effects.append(.log(suspension.hasFailed ? .debug : .error, text))
            suspensions[index].hasFailed = true
            answerWakers(index)
        }
        request(answer.next, index)
    }

    // MARK: - Thaw

    /// Thaws a program if it is frozen; its subscriptions are woken when the turn ends, or once it is thawed.
    mutating func takeBack(_ index: Int, because reason: String, for waker: UInt64? = nil, at now: UInt64) {
        suspensions[index].departure = nil
        suspensions[index].examined = nil
        answerCallers(index, reason)
        if let waker { suspensions[index].wakers.append(waker) }
        suspensions[index].owesWake = true
        request(suspensions[index].freeze.want(frozen: false, at: now), index)
        isDue = true
    }

    private mutating func endThaw(_ index: Int, of programs: [ProgramFacts]) {
        let suspension = suspensions[index]
        suspensions[index].owesWake = false
        suspensions[index].wakers = []
        if suspension.departure == nil { suspensions[index].processes = [] }
        effects.append(.forget(suspension.cgroup))
        setPhase(.usual, of: suspension.processes, from: .suspended)
        begin(Wake(reason: .frozen, callers: suspension.wakers), on: programs.flatMap(\.members).map(\.connection))
    }

    mutating func answerCallers(_ index: Int, _ refusal: String?) {
        effects += suspensions[index].callers.map { .answer($0, refusal: refusal) }
        suspensions[index].callers = []
    }

    private mutating func answerWakers(_ index: Int) {
        effects += suspensions[index].wakers.map { .answer($0, refusal: nil) }
        suspensions[index].wakers = []
    }

    // MARK: - End

    /// Takes the next step of a program that ends once all its subscriptions are in the background; `nil` if none is left.
    private mutating func moveToEnd(
        _ process: ProcessKey, _ departure: Departure, _ program: ProgramFacts?, at now: UInt64
    ) -> (process: ProcessKey, departure: Departure)? {
        guard let program, program.isInBackground else {
            endTermination(of: process)
            return nil
        }
        let (departure, step) = step(departure, of: [program], at: now)
        switch step {
        case nil: break
        case .announce:
            ends[process]?.isTerminating = true
            setPhase(.terminating, of: [process])
        case .carryOut: effects.append(.terminate(process))
        }
        return departure.map { (process, $0) }
    }

    /// Takes back the end of a program that has not received SIGTERM yet.
    mutating func cancelEnd(of process: ProcessKey) { endings.removeAll { $0.process == process } }

    /// Notifies the subscriptions of a program that it does not end after all.
    mutating func endTermination(of process: ProcessKey) {
        guard ends[process]?.isTerminating == true else { return }
        ends[process]?.isTerminating = false
        setPhase(.usual, of: [process], from: .terminating)
    }
}

/// The end that subscriptions of a process have declared.
struct DeclaredEnd {
    /// The connections of these subscriptions.
    var declarants: Set<UInt64> = []
    var isTerminating = false
}
