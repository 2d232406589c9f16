// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A wake: its subscriptions are sampled, each is released after its sample, and then the callers are answered.
struct Wake {
    let reason: HoldReasons
    var phase: LifecyclePhase?
    /// The connections of the callers.
    let callers: [UInt64]
    /// The process whose suspension the wake takes back.
    var process: ProcessKey?
    /// Whether no other hold keeps the program in the background, where it ends.
    var endsBackground = false
    /// The number of subscriptions that wait for their samples.
    var sampling = 0
}

extension Suspending {
    // MARK: - Background

    /// A call sends a subscription to the background, with or without a deadline.
    mutating func hold(_ subject: Subject, until time: UInt64?, wasInBackground: Bool, at now: UInt64) {
        deadlines.set(time, subject.connection, subject.reason)
        // A wake that still waits for a sample has taken back the end already.
        let isBack = waking[subject.connection]?.isDisjoint(with: subject.reason) == false
        hold(subject.reason, subject.connection)
        guard let process = subject.process, !wasInBackground || isBack, hasDeclaredEnd(process),
            !endings.contains(where: { $0.process == process })
        else { return }
        endings.append((process, Departure(at: now)))
        isDue = true
    }

    mutating func hold(_ reason: HoldReasons, _ connection: UInt64) {
        // A wake that still waits for a sample must not end this hold.
        stopWaking(connection, reason)
        effects.append(.hold(reason, connection))
    }

    /// The call wants the program to run in the background.
    mutating func run(_ subject: Subject, for caller: UInt64, at now: UInt64) {
        guard let index = index(of: subject.process) else { return effects.append(.reply(caller)) }
        takeBack(index, because: "it was put in the background, but not suspended", for: caller, at: now)
    }

    // MARK: - Wakes

    /// A call, or the end of its time, clears a hold, which takes back the suspension or the end.
    ///
    /// A suspended program is thawed before it receives events.
    mutating func wake(_ subject: Subject, into phase: LifecyclePhase, others: HoldReasons, for caller: UInt64?) {
        deadlines.set(nil, subject.connection, subject.reason)
        if let index = index(of: subject.process) {
            // It freezes nothing from now on.
            suspensions[index].departure = nil
            answerCallers(index, Self.woken)
        }
        let endsBackground = others.isDisjoint(with: .requested)
        if endsBackground, let process = subject.process { cancelEnd(of: process) }
        begin(
            Wake(
                reason: subject.reason, phase: phase, callers: caller.map { [$0] } ?? [], process: subject.process,
                endsBackground: endsBackground),
            on: CollectionOfOne(subject.connection))
    }

    private static let woken = "it was woken"

    mutating func begin(_ wake: Wake, on connections: some Collection<UInt64>) {
        guard !connections.isEmpty else { return answer(wake) }
        var wake = wake
        wake.sampling = connections.count
        lastWake += 1
        wakes[lastWake] = wake
        for connection in connections {
            waking[connection, default: []].insert(wake.reason)
            effects.append(.sample(lastWake, wake.reason, connection))
        }
    }

    /// A sample for a wake has been taken, or is not needed; `isHeld` is whether the hold still stands.
    mutating func sampled(_ number: UInt64, _ connection: UInt64, isHeld: Bool, at now: UInt64) {
        guard var wake = wakes[number] else { return }
        let isReleased = stopWaking(connection, wake.reason)
        if isReleased { effects.append(.release(wake.reason, connection, into: wake.phase)) }
        wake.sampling -= 1
        wakes[number] = wake.sampling > 0 ? wake : nil
        guard wake.sampling == 0 else { return }
        // The program may have been sent back during the sample; the later call decides.
        guard let process = wake.process, isReleased || !isHeld else { return answer(wake) }
        if wake.endsBackground { endTermination(of: process) }
        guard let index = index(of: process) else { return answer(wake) }
        takeBack(index, because: Self.woken, for: wake.callers.first, at: now)
    }

    private mutating func answer(_ wake: Wake) {
        for caller in wake.callers { effects.append(.answer(caller, refusal: nil)) }
    }

    /// Ends a wake from a hold, and returns whether it was under way.
    @discardableResult
    mutating func stopWaking(_ connection: UInt64, _ reason: HoldReasons) -> Bool {
        guard var reasons = waking[connection], reasons.remove(reason) != nil else { return false }
        waking[connection] = reasons.isEmpty ? nil : reasons
        return true
    }

    /// The system has frozen or thawed the subscriptions of a process, perhaps for somebody else.
    mutating func noteFrozen(_ isFrozen: Bool, _ process: ProcessKey?, _ connections: [UInt64], at now: UInt64) {
        guard !isFrozen else { return connections.forEach { hold(.frozen, $0) } }
        if let index = index(of: process), suspensions[index].freeze.isFrozen, suspensions[index].freeze.isSettled {
            takeBack(index, because: "it was thawed", at: now)
        }
        begin(Wake(reason: .frozen, callers: []), on: connections)
    }
}

/// The times at which holds end by themselves.
struct HoldDeadlines {
    /// The most holds that end in a turn, since each may take samples and cause a reply.
    private static let perTurn = 64

    /// The deadlines, soonest last; few holds have one.
    private var deadlines: [(time: UInt64, connection: UInt64, reason: HoldReasons)] = []

    var next: UInt64? { deadlines.last?.time }

    /// Replaces the time of a hold; `nil` for none.
    mutating func set(_ time: UInt64?, _ connection: UInt64, _ reason: HoldReasons) {
        if !deadlines.isEmpty { deadlines.removeAll { $0.connection == connection && reason.contains($0.reason) } }
        guard let time else { return }
        let index = deadlines.firstIndex { $0.time <= time } ?? deadlines.count
        deadlines.insert((time, connection, reason), at: index)
    }

    mutating func takeDue(at now: UInt64) -> [(connection: UInt64, reason: HoldReasons)] {
        let due = deadlines.suffix(Self.perTurn).reversed().prefix { $0.time <= now }
        deadlines.removeLast(due.count)
        return due.map { ($0.connection, $0.reason) }
    }
}
