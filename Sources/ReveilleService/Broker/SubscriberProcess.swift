// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// A process with subscriptions, which share its descriptor and the look at its cgroup.
final class SubscriberProcess {
    let process: PeerProcess
    /// The connections of its subscriptions; never empty while the broker follows it.
    var connections: [ObjectIdentifier: Connection] = [:]
    /// The source that waits for its end.
    var end: (any LoopSource)?
    /// What ``FreezeWatch`` knows about it.
    var cgroup: FreezeWatch.Cgroup?
    var isFrozen = false
    /// The time from which its cgroup must be read again before a delivery, in microseconds since boot.
    var nextLook: UInt64 = 0

    init(_ process: PeerProcess) {
        self.process = process
    }
}
