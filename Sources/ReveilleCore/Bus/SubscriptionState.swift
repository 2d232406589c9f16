// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Names a subscription; chosen by whoever makes it, at random, so that it tells nothing about others.
package struct SubscriptionID: Sendable, Hashable {
    /// The number behind the name.
    package let rawValue: UInt64

    /// Makes a name of a number.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One subscriber: what it asked for, how far it has seen it, and why it is held.
struct SubscriptionState {
    /// What a policy other than the default has to remember.
    struct PolicyState {
        /// `hold`: the changes that came in a background.
        struct Held {
            /// The generation before the first of them.
            var after: Int
            /// The position behind the last of them.
            var through: Cursor
        }

        var policy: Policy
        /// The generation at which the last background began.
        var backgroundStart: Int
        /// `hold`: what came in a background that has ended.
        var held: Held?

        /// The changes that are to be told one by one, if the log still knows any of them; else they are merged
        /// with the rest.
        func heldChanges(after cursor: Cursor, in log: ChangeLog) -> Held? {
            guard let held, held.through.generation > cursor.generation,
                log.retained(held.through.generation) != nil
            else { return nil }
            return held
        }

        /// `drop`: something was pending already when the background began, and is still due.
        var hadPending = false
    }

    let id: SubscriptionID
    let name: String?
    let aspects: AspectSet
    var cursors: AspectTable<Cursor>
    /// `nil` where all aspects have the default policy, so that ten thousand sleepers stay small.
    var policies: AspectTable<PolicyState>?
    var holds: HoldReasons = []
    /// What has been delivered so far, first replies left out.
    var events = 0
    var changes = 0
    /// Whether it waits in the bus's ready queue.
    var isQueued = false
    /// The aspects for which it is counted in the bus's `foregroundCounts`.
    var foregroundAspects: AspectSet = []
    /// Its place in the bus's `deliverable` list of each aspect, -1 where it is not on the list.
    var places = AspectTable<Int32>(repeating: -1)

    /// The aspects whose changes may go out now.
    var open: AspectSet {
        if holds.isEmpty { return aspects }
        return holds.contains(.unread) ? [] : immediate
    }

    /// The aspects that do not wait for the foreground.
    var immediate: AspectSet {
        guard let policies else { return [] }
        return AspectSet(aspects.aspects.filter { policies[$0].policy.background == .immediate })
    }

    /// How many changes of an aspect wait to be told.
    func pending(_ aspect: Aspect, in log: ChangeLog) -> Int {
        if let state = policies?[aspect], state.policy.background == .drop, !state.hadPending,
            !holds.isDisjoint(with: .background)
        {
            return 0
        }
        return log.current.generation - cursors[aspect].generation
    }

    /// Says whether an event of the aspect would be delivered, if nothing held the subscription.
    func isDue(_ aspect: Aspect, in log: ChangeLog) -> Bool {
        let cursor = cursors[aspect]
        guard log.current.generation > cursor.generation else { return false }
        guard let state = policies?[aspect], state.policy.netChangeOnly else { return true }
        if state.heldChanges(after: cursor, in: log) != nil { return true }
        return cursor.change.map { !$0.isSameState(as: log.current) } ?? true
    }

    /// Takes what is due of an aspect, and moves the cursor behind it.
    mutating func take(_ aspect: Aspect, from log: ChangeLog) -> [Event] {
        var events: [Event] = []
        if let state = policies?[aspect], case .hold(let limit) = state.policy.background,
            let held = state.heldChanges(after: cursors[aspect], in: log)
        {
            events = log.events(
                since: cursors[aspect], heldAfter: held.after, through: held.through.generation, limit: limit)
            cursors[aspect] = held.through
        }
        if isDue(aspect, in: log) {
            events.append(log.event(since: cursors[aspect]))
            cursors[aspect] = log.end
        }
        return events
    }

    /// Notes, as a background begins, what was due before it.
    mutating func enterBackground(_ logs: AspectTable<ChangeLog>) {
        guard var states = policies else { return }
        for aspect in aspects.aspects {
            states[aspect].hadPending = isDue(aspect, in: logs[aspect])
            states[aspect].backgroundStart = logs[aspect].current.generation
        }
        policies = states
    }

    /// Settles, as a background ends, what the policies keep of it.
    mutating func leaveBackground(_ logs: AspectTable<ChangeLog>) {
        guard let states = policies else { return }
        for aspect in aspects.aspects {
            switch states[aspect].policy.background {
            case .hold where logs[aspect].current.generation > states[aspect].backgroundStart:
                // What an earlier background held is still due: the changes between the two are told one by one too.
                let earlier = states[aspect].heldChanges(after: cursors[aspect], in: logs[aspect])
                policies?[aspect].held = PolicyState.Held(
                    after: earlier?.after ?? states[aspect].backgroundStart, through: logs[aspect].end)
            case .drop where !states[aspect].hadPending: cursors[aspect] = logs[aspect].end
            case .coalesce, .hold, .immediate, .drop: break
            }
        }
    }
}
