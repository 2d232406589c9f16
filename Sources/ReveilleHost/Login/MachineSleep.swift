// SPDX-License-Identifier: Apache-2.0

/// The system's reports about the sleep of the machine, and a lock that delays it; loop thread only.
package protocol MachineSleep: AnyObject {
    /// The time that the machine has slept since boot, in microseconds.
    var timeAsleep: UInt64 { get }
    /// The source of announcements, in words for a person.
    var source: String { get }
    var interests: SleepInterests { get }
    /// Whether a lock delays the sleep.
    var isDelayed: Bool { get }

    /// Called before the followers when the login manager announces a sleep, with the longest time that it waits, in
    /// microseconds, and with `nil` when it announces the end; either can come twice.
    var announced: (_ longestDelay: UInt64?) -> Void { get set }

    /// Asks whether the machine prepares to sleep; `nil` if there is no answer, which says nothing.
    ///
    /// All announcements before the answer have been handled when the completion is called, once, within a second.
    func ask(then completion: @escaping (Bool?) -> Void)

    /// Closes the lock until the end of the sleep, or takes none until then.
    func letSleep()
}

/// Everyone who follows the sleep of the machine.
package final class SleepInterests {
    private struct Follower {
        weak var interest: SleepInterest?
    }

    private var followers: [Follower] = []
    /// The time in microseconds that the machine had slept when the end of a sleep was reported last; a later bus goes on
    /// from it.
    package var counted: UInt64?
    /// Returns the obstacles to an announced sleep, in words for a person; an empty text if it does not wait.
    package var obstacles: () -> String = { "" }
    /// Called when a follower came, changed its mind about a delay, or left.
    package var changed: () -> Void = {}

    package init() {}

    package var isEmpty: Bool { followers.allSatisfy { $0.interest == nil } }
    /// Whether a follower wants to delay the sleep.
    package var wantDelay: Bool { followers.contains { $0.interest?.wantsDelay == true } }

    /// Calls a handler with whether the machine prepares to sleep, once this is known and at each announcement, until the
    /// result is released.
    package func follow(_ handler: @escaping (Bool) -> Void) -> SleepInterest {
        let interest = SleepInterest(self, handler)
        followers.append(Follower(interest: interest))
        changed()
        return interest
    }

    package func notify(isPreparing: Bool) {
        for follower in followers { follower.interest?.handler(isPreparing) }
    }

    fileprivate func prune() {
        followers.removeAll { $0.interest == nil }
        changed()
    }
}

package final class SleepInterest {
    private let interests: SleepInterests
    fileprivate let handler: (Bool) -> Void
    /// Whether the sleep is to be delayed when it is announced.
    package var wantsDelay = false {
        didSet { if wantsDelay != oldValue { interests.changed() } }
    }

    fileprivate init(_ interests: SleepInterests, _ handler: @escaping (Bool) -> Void) {
        self.interests = interests
        self.handler = handler
    }

    deinit {
        interests.prune()
    }
}
