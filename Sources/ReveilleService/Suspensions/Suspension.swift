// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The suspension of a program, from the call on until its cgroup is thawed and no answer of the system is expected.
struct Suspension {
    let cgroup: String
    /// The process that was to be suspended; `nil` if an earlier bus left the cgroup frozen.
    var origin: ProcessKey?
    /// The processes of subscribers in the cgroup, until they are thawed.
    var processes: [ProcessKey] = []
    /// The departure before the freeze; `nil` once the freeze has begun, or the suspension was taken back.
    var departure: Departure?
    /// The process that is examined before the freeze.
    var examined: ProcessKey?
    var freeze = FreezeState()
    /// Whether the processes have to be woken once the cgroup is thawed.
    var owesWake = false
    /// Whether a failed thaw was logged; later attempts would say the same.
    var hasFailed = false
    /// The connections of the callers that wait for the freeze.
    var callers: [UInt64] = []
    /// The connections of the callers that wait for the thaw.
    var wakers: [UInt64] = []

    /// Whether the cgroup runs, as it should.
    var isThawed: Bool { freeze.isSettled && !freeze.wantsFrozen }

    /// Whether a suspension or its end is under way, so that the next step depends on the processes.
    var isMoving: Bool { departure != nil || !freeze.isSettled || owesWake && isThawed }

    /// Returns whether a cgroup is this one or below it.
    func contains(_ path: String?) -> Bool { path.map { Self.isBelow($0, cgroup) } ?? false }

    /// Returns whether another cgroup equals this cgroup, or is above or below it.
    func overlaps(_ other: String) -> Bool { Self.isBelow(cgroup, other) || Self.isBelow(other, cgroup) }

    private static func isBelow(_ path: String, _ other: String) -> Bool {
        path == other || path.utf8.starts(with: (other + "/").utf8)
    }
}
