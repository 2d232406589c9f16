// SPDX-License-Identifier: Apache-2.0

struct PolicyState {
    /// The changes that a `hold` policy kept in a background.
    struct Held {
        /// The generation before the first kept change.
        var after: Int
        var through: Change
    }

    var policy: Policy
    /// The generation at the start of the last background.
    var backgroundStart = 0
    /// For `hold`: the changes of a background that has ended.
    var held: Held?
    /// For `drop`: whether an event was due already when the background began.
    var hadPending = false
    /// For `interval`: the earliest time of the next event, in microseconds since boot.
    var nextEvent: UInt64 = 0

    init(_ policy: Policy) {
        self.policy = policy
    }

    var isDropping: Bool { policy.background == .drop && !hadPending }

    /// Returns the changes to deliver one by one; `nil` once the log has dropped them all, so they are merged.
    func heldChanges(after seen: Change, in log: ChangeLog) -> Held? {
        guard let held, held.through.generation > seen.generation, log.retained(held.through.generation) != nil
        else { return nil }
        return held
    }
}

extension Policy {
    /// The effective policy of an aspect: a stream limits the interval, and the lifecycle ignores the background.
    func granted(to aspect: Aspect) -> Policy {
        var policy = self
        if aspect.builtIn?.isOfSubscription == true { policy.background = .immediate }
        guard aspect.builtIn?.kind == .stream else { return policy }
        policy.interval = max(interval ?? SampleInterval.usual, SampleInterval.shortest)
        return policy
    }

    /// The sampling interval of a stream under the policy, in microseconds.
    var sampleInterval: UInt64 {
        min(intervalMicroseconds ?? 0, UInt64(SampleInterval.longest / .microseconds(1)))
    }

    var isDefault: Bool { self == Policy() }

    /// The shortest time between two events in microseconds, rounded up.
    var intervalMicroseconds: UInt64? {
        interval.map { UInt64(clamping: ($0.attoseconds + 999_999_999_999) / 1_000_000_000_000) }
    }
}

/// The intervals between the samples of a stream.
package enum SampleInterval {
    /// The shortest interval that is granted, as for UIAccelerometer; far shorter than a frame of a display.
    package static let shortest: Duration = .milliseconds(10)
    /// The interval of a subscriber that gives none: enough for a value that a person reads.
    package static let usual: Duration = .milliseconds(100)
    /// The interval for subscribers that want fewer samples; their events are then further apart.
    package static let longest: Duration = .seconds(1)
}
