// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A process with subscriptions, which share its descriptor and the reads of its cgroup.
final class SubscriberProcess {
    let process: any FollowedProcess
    /// The connections of its subscriptions; never empty while it is followed.
    var connections: [ObjectIdentifier: Connection] = [:]
    var end: (any LoopSource)?
    /// What ``FreezeWatch`` knows about it.
    var cgroup: FreezeWatch.Cgroup?
    var isFrozen = false
    /// The time after which the cgroup must be read again before a delivery, in microseconds since boot.
    var nextLook: UInt64 = 0
    /// The connections whose subscriptions have declared that the process ends in the background.
    var ending: Set<ObjectIdentifier> = []
    /// The departure toward this end, once the process is in the background.
    var departure: Departure?
    /// Whether its subscriptions have been notified of the end.
    var isTerminating = false

    init(_ process: any FollowedProcess) {
        self.process = process
    }
}
