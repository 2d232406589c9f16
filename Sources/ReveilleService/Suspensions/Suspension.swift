// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The suspension of a program, from the call on until its cgroup is thawed again.
final class Suspension {
    let cgroup: String
    /// The process that was to be suspended.
    let origin: SubscriberProcess
    /// The processes in the cgroup that have subscriptions.
    var processes: [SubscriberProcess] = []
    /// The departure before the freeze; `nil` once the freeze has begun.
    var departure: Departure?
    var freeze = FreezeState()
    /// The callers that wait for the suspension.
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
