// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A rule at work: its state, and the changes that it has not examined yet; pure.
struct RuleProgress: Sendable {
    /// The rule, whose line can change while it is at work.
    var rule: Rule
    /// The state after the last examined change; `nil` before the first.
    private(set) var state: RuleState?
    /// The changes that were not examined yet, merged.
    private var waiting: Event?
    /// Whether changes are being examined, or the command is running.
    private var isBusy = false
    /// Whether the bus was replaced meanwhile, so that the generations of these changes mean nothing any more.
    private var isOutdated = false

    init(_ rule: Rule, state: RuleState?) {
        (self.rule, self.state) = (rule, state)
    }

    /// Forgets the changes of an earlier subscription; the next one delivers them again.
    mutating func begin(sameInstance: Bool) {
        waiting = nil
        guard !sameInstance else { return }
        state?.generation = nil
        isOutdated = isBusy
    }

    mutating func add(_ event: Event) {
        waiting = waiting?.merged(with: event, lastSeen: nil) ?? event
    }

    /// Returns the changes to examine, which the caller splits as far as it can; `nil` if there are none, or others are
    /// being examined.
    mutating func take() -> Event? {
        guard !isBusy, let event = waiting else { return nil }
        waiting = nil
        isBusy = true
        return event
    }

    /// Ends the examination that ``take()`` has begun.
    mutating func rest() { (isBusy, isOutdated) = (false, false) }

    /// Examines a change, and returns the event for the command if it is due.
    ///
    /// A change for which it is due is not part of the state before ``finish(_:exitCode:at:)``, so that a run is repeated if
    /// this process is killed during it.
    mutating func look(at change: Event) -> Event? {
        if let generation = state?.generation, change.generation <= generation { return nil }
        guard let state else {
            // A condition that already held when the rule was added does not fire it.
            self.state = RuleState(rule: rule.text, isTrue: false, changedAt: 0)
            pass(change, isTrue: rule.isTrue(after: change) == true)
            return nil
        }
        let isTrue = rule.isTrue(after: change) == true
        let isDue =
            switch rule.occasion {
            case .becomesTrue: isTrue && !state.isTrue
            case .fires: isFiring(change, since: state)
            case .changes: change.changeCount > 0
            }
        guard isDue else {
            pass(change, isTrue: isTrue)
            return nil
        }
        var event = change
        // A subscription that began during a run delivers its firings again. A name that has no value yet has no generation.
        if let generation = state.generation {
            event.changeCount = min(change.changeCount, change.generation - generation)
        }
        return event
    }

    /// Notes that the command has ended, which ran for a change.
    mutating func finish(_ change: Event, exitCode: Int32, at time: Timestamp) {
        pass(change, isTrue: rule.isTrue(after: change) == true)
        state?.ranAt = time.microseconds
        state?.exitCode = exitCode
    }

    private mutating func pass(_ change: Event, isTrue: Bool) {
        state?.isTrue = isTrue
        // Each subscription counts the changes of its own lifecycle.
        state?.generation = change.aspect == .lifecycle || isOutdated ? nil : change.generation
        state?.changedAt = change.changedAt.microseconds
    }

    private func isFiring(_ change: Event, since state: RuleState) -> Bool {
        guard case .published(let value) = change.reading, !value.isWithdrawn else { return false }
        // Another instance of the bus counts anew, but it knows when the name has changed last.
        return state.generation != nil || change.changedAt.microseconds > state.changedAt
    }
}
