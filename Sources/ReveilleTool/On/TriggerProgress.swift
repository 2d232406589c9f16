// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// A trigger and its file, if it has one.
struct TriggerProgress: Sendable {
    private var trigger: Trigger
    private var stored: StoredTrigger?

    /// Creates a trigger that continues from the state in a file.
    init(_ condition: Condition, stored: StoredTrigger?) {
        trigger = Trigger(condition, isTrue: stored?.state?.isTrue ?? false)
        self.stored = stored
    }

    /// The position to continue from, if any.
    var positions: Positions? { stored?.positions }

    /// Takes a change, and returns whether the condition has become true with it.
    ///
    /// In that case the change is not stored. Changes that make no difference are not stored either: after a restart,
    /// they make no difference again.
    mutating func take(_ change: Event, of instance: String) throws(Failure) -> Bool {
        let wasTrue = trigger.isTrue
        let hasBecomeTrue = trigger.fires(on: change)
        // The first one is always stored, so that a file that cannot be written is reported before the first run.
        if stored?.state == nil || wasTrue && !trigger.isTrue { try store(false, change, of: instance) }
        return hasBecomeTrue
    }

    /// Stores a change with which the condition has become true.
    mutating func store(_ change: Event, of instance: String) throws(Failure) {
        try store(true, change, of: instance)
    }

    private mutating func store(_ isTrue: Bool, _ change: Event, of instance: String) throws(Failure) {
        try stored?.save(StoredTrigger.State(isTrue: isTrue, instance: instance, generation: change.generation))
    }
}
