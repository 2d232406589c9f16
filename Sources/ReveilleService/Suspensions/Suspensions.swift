// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem

/// The states that callers and the system give programs: foreground, background, suspended, frozen, or ending.
final class Suspensions: BusPart {
    let access: BusAccess
    let programs: any Programs
    let freezes: FreezeWatch
    var processes: [Int32: SubscriberProcess] = [:]
    /// The programs that are suspended, on the way to it, or being thawed.
    var suspensions: [Suspension] = []
    /// The processes that have subscribed since the suspensions were last advanced.
    var arrivals: [SubscriberProcess] = []
    /// The processes that are approaching their declared end.
    var endings: [SubscriberProcess] = []
    var frozen: FrozenRecord
    /// The timer for another attempt to thaw the cgroups that the last bus left frozen.
    var formerThaws: (any LoopSource)?

    init(
        _ access: BusAccess, loop: any Loop, programs: any Programs, record: FrozenRecord, _ logger: Logger
    ) throws(SystemError) {
        self.access = access
        self.programs = programs
        frozen = record
        freezes = try FreezeWatch(loop: loop, logger: logger)
        freezes.changed = { [weak self] in self?.freezeChanged($0) }
    }

    func closing(_ connection: Connection) {
        // A list of callers would keep the descriptor open.
        for suspension in suspensions { suspension.callers.removeAll { $0 === connection } }
        leaveProcess(connection)
    }

    func awaitsReading(by connection: Connection) -> Bool { connection.subscription != nil }

    func hasRead(_ connection: Connection) { continueDepartures() }

    /// Thaws everything, since nobody could wake it after the end of the bus.
    func stop() {
        guard !frozen.cgroups.isEmpty else { return }
        let left = Set(programs.thawBeforeEnd(frozen.cgroups))
        for cgroup in frozen.cgroups where !left.contains(cgroup) { forget(cgroup) }
        for cgroup in left.sorted() { logger.error("\(cgroup) could not be thawed; the next bus will try it again") }
    }
}

/// The suspension of a program, from the call on until its cgroup is thawed again.
final class Suspension {
    let cgroup: String
    /// The process that was to be suspended.
    let origin: SubscriberProcess
    var processes: [SubscriberProcess] = []
    /// The departure before the freeze; `nil` once the freeze has begun.
    var departure: Departure?
    var freeze = FreezeState()
    var callers: [Connection] = []
    /// The callers that wait for the thaw.
    var wakes: [() -> Void] = []

    init(of origin: SubscriberProcess, cgroup: String) {
        self.origin = origin
        self.cgroup = cgroup
    }

    var members: [Connection] { processes.flatMap(\.connections.values).sorted { $0.number < $1.number } }

    /// Returns whether a process is now in the cgroup or below it.
    func contains(_ process: any FollowedProcess) -> Bool {
        process.cgroup.map { Self.isBelow($0, cgroup) } ?? false
    }

    /// Returns whether another cgroup equals this cgroup, or is above or below it.
    func overlaps(_ other: String) -> Bool {
        Self.isBelow(cgroup, other) || Self.isBelow(other, cgroup)
    }

    private static func isBelow(_ path: String, _ other: String) -> Bool {
        path == other || path.utf8.starts(with: (other + "/").utf8)
    }
}
