// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

@testable import ReveilleService

/// Programs and their subscriptions as values, and what ``Suspending`` asks for.
struct SuspendingScene {
    typealias Effect = Suspending.Effect

    static let app = ProcessKey.followed(1)
    static let worker = ProcessKey.followed(2)
    static let cgroup = "/app"
    /// The connection of the shell, which calls.
    static let shell: UInt64 = 90

    var state: Suspending
    var now: UInt64 = 1_000_000
    /// The programs by their processes; each has one subscription, whose connection has the number of the process ID.
    var programs: [ProcessKey: ProgramFacts] = [:]
    /// The process that leaves while it is examined before its freeze.
    var leaver: ProcessKey?

    init(formerCgroups: [String] = []) { state = Suspending(formerCgroups: formerCgroups) }

    @discardableResult
    mutating func start(
        _ process: ProcessKey = app, _ id: Int32 = 20, cgroup: String = cgroup, ends: Bool = false, hasRead: Bool = true
    ) -> [Effect] {
        programs[process] = ProgramFacts(
            process: process, id: id, cgroup: cgroup,
            members: [.init(connection: UInt64(id), isInBackground: false, hasRead: hasRead)])
        state.join(UInt64(id), process, endsInBackground: ends, isFrozen: false)
        return settle()
    }

    func subject(_ process: ProcessKey = app, reason: HoldReasons = .operator) -> Suspending.Subject {
        let program = programs[process]
        return Suspending.Subject(
            connection: program?.members[0].connection ?? 0, process: program?.process, id: program?.id ?? 0,
            reason: reason)
    }

    mutating func change(_ process: ProcessKey = app, _ change: (inout ProgramFacts.Member) -> Void) {
        for index in programs[process]?.members.indices ?? 0..<0 {
            if var member = programs[process]?.members[index] {
                change(&member)
                programs[process]?.members[index] = member
            }
        }
    }

    /// Sends a program to the background, and returns the effects.
    mutating func hold(_ process: ProcessKey = app, until time: UInt64? = nil) -> [Effect] {
        let wasInBackground = programs[process]?.isInBackground == true
        state.hold(subject(process), until: time, wasInBackground: wasInBackground, at: now)
        change(process) { $0.isInBackground = true }
        return settle()
    }

    mutating func suspend(_ process: ProcessKey = app, by id: Int32 = 5, in cgroup: String = "/shell") -> [Effect] {
        var effects = hold(process)
        state.suspend(
            subject(process), for: Suspending.Caller(connection: Self.shell, id: id, cgroup: cgroup), at: now)
        effects += settle()
        return effects
    }

    mutating func wake(_ process: ProcessKey = app, others: HoldReasons = []) -> [Effect] {
        state.wake(subject(process), into: .usual, others: others, for: Self.shell)
        return settle()
    }

    mutating func sample(_ wake: UInt64, _ connection: UInt64, isHeld: Bool = true) -> [Effect] {
        state.sampled(wake, connection, isHeld: isHeld, at: now)
        return settle()
    }

    mutating func answer(_ request: Int, failure: String? = nil, cgroup: String = cgroup) -> [Effect] {
        state.answered(cgroup, request, failure: failure, at: now)
        return settle()
    }

    mutating func pass(_ time: UInt64) -> [Effect] {
        now += time
        return settle(isDue: true)
    }

    /// Answers what the system knows at once, and ends turns until there is nothing to do; returns the other effects.
    mutating func settle(isDue: Bool = false) -> [Effect] {
        var others: [Effect] = []
        var isDue = isDue
        while true {
            if state.effects.isEmpty {
                guard isDue || state.isDue else { break }
                isDue = false
                state.advance(with: programs, at: now)
            }
            while let effect = state.nextEffect() {
                guard case .examine(let process, let caller) = effect else {
                    note(effect)
                    others.append(effect)
                    continue
                }
                if process == leaver, caller == nil, let program = programs.removeValue(forKey: process) {
                    state.leave(program.members[0].connection, process, isLast: true)
                    state.examined(process, nil, refusal: "the subscription has ended", at: now)
                    continue
                }
                let inside = programs.values.filter { $0.cgroup?.hasPrefix(programs[process]?.cgroup ?? "-") == true }
                    .sorted { $0.id < $1.id }
                state.examined(process, caller, cgroup: programs[process]?.cgroup ?? "", inside, at: now)
            }
        }
        return others
    }

    private mutating func note(_ effect: Effect) {
        switch effect {
        case .hold(.frozen, let connection): set(isFrozen: true, connection)
        case .release(.frozen, let connection, _): set(isFrozen: false, connection)
        default: break
        }
    }

    private mutating func set(isFrozen: Bool, _ connection: UInt64) {
        for process in programs.keys {
            change(process) { if $0.connection == connection { $0.isFrozen = isFrozen } }
        }
    }
}
