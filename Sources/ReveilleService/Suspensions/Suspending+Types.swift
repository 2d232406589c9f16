// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore

/// A process with subscriptions, as the bus and the system have it when ``Suspending`` decides.
struct ProgramFacts {
    struct Member {
        let connection: UInt64
        var isInBackground: Bool
        /// Whether the subscription is held as frozen.
        var isFrozen = false
        /// Whether the last lifecycle was read, or the subscription has not named it.
        var hasRead = true
    }

    let process: ProcessKey
    let id: Int32
    /// The current cgroup, for a process that has just subscribed; `nil` if it is unknown.
    var cgroup: String?
    /// Whether a task keeps the process from its suspension and its end.
    var hasTasks = false
    /// The subscriptions in the order of their connections.
    var members: [Member]

    var isInBackground: Bool { members.allSatisfy(\.isInBackground) }
}

extension Suspending {
    /// A subscription whose hold a caller sets or clears.
    struct Subject {
        let connection: UInt64
        /// The process behind the subscription; `nil` if it cannot be followed.
        let process: ProcessKey?
        let id: Int32
        let reason: HoldReasons
    }

    /// A process that wants a program to be suspended.
    struct Caller: Equatable {
        /// The connection that waits for the freeze; `nil` for a `oneway` call.
        let connection: UInt64?
        let id: Int32
        let cgroup: String?
    }

    enum Effect: Equatable {
        case hold(HoldReasons, UInt64)
        /// Takes a fresh sample for a wake of a subscription, unless other holds keep it in the background.
        case sample(UInt64, HoldReasons, UInt64)
        case release(HoldReasons, UInt64, into: LifecyclePhase?)
        /// Wakes a subscription whose hold has lasted for its time.
        case expire(HoldReasons, UInt64)
        /// Sets the phase of a process's subscriptions, or of those with a lifecycle.
        case setPhase(LifecyclePhase, ProcessKey, from: Lifecycle?)
        case awaitReading(UInt64)
        /// Finds the cgroup to freeze in order to suspend a program, for a caller or before the freeze.
        case examine(ProcessKey, Caller?)
        /// Records a cgroup as frozen, and freezes it; the number is the request's.
        case freeze(String, Int)
        case thaw(String, Int)
        /// Removes a cgroup from the record, since it is thawed.
        case forget(String)
        /// Sends SIGTERM.
        case terminate(ProcessKey)
        /// Replies at once to the call that was just made.
        case reply(UInt64)
        /// Answers a call once the events of the turn have been delivered.
        case answer(UInt64, refusal: String?)
        case log(Logger.Level, String)
    }
}
