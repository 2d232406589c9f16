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

/// Where the bus has one aspect of one subscription.
struct EntryIndex {
    /// The subscription's place in the bus's `slots`.
    var slot: Int32
    /// The aspect's place in the subscription's entries.
    var entry: Int32
}

/// One subscriber: what it asked for, how far it has seen it, and why it is held.
struct SubscriptionState {
    /// How far the subscriber has seen one aspect.
    struct Entry {
        let aspect: Aspect
        var cursor: Cursor
        /// Its place in the bus's `deliverable` list of the aspect, -1 where it is not on the list.
        var place: Int32 = -1
    }

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
    /// One for each aspect that was asked for.
    var entries: [Entry]
    /// One for each entry; empty where all have the default policy, so that ten thousand sleepers stay small.
    var policies: [PolicyState]
    private(set) var holds: HoldReasons
    /// What has been delivered so far, first replies left out.
    var events = 0
    var changes = 0
    /// Whether it waits in the bus's ready queue.
    var isQueued = false
    /// The aspects for which it is counted in the bus's `foregroundCounts`.
    var countedAspects: AspectSet = []

    /// Creates the state of a new subscriber that has seen everything up to now, and has its first reply to read.
    init(_ request: SubscriptionRequest, id: SubscriptionID, logs: AspectTable<ChangeLog>) {
        self.id = id
        name = request.name
        aspects = request.aspects
        entries = request.aspects.aspects.map { Entry(aspect: $0, cursor: logs[$0].end) }
        policies =
            request.policies.isEmpty
            ? []
            : entries.map { entry in
                PolicyState(
                    policy: request.policies[entry.aspect] ?? Policy(), backgroundStart: entry.cursor.generation)
            }
        holds = request.startsInBackground ? [.unread, .app] : .unread
    }

    /// The aspects whose changes may go out now.
    var open: AspectSet {
        if holds.isEmpty { return aspects }
        return holds.contains(.unread) ? [] : immediate
    }

    /// The aspects that are watched in full for it: all in the foreground, else those that ignore the background.
    var foregroundAspects: AspectSet { isInBackground ? immediate : aspects }

    /// The aspects that do not wait for the foreground.
    private var immediate: AspectSet {
        zip(entries, policies).reduce(into: []) { set, entry in
            if entry.1.policy.background == .immediate { set.insert(AspectSet(entry.0.aspect)) }
        }
    }

    private var isInBackground: Bool { !holds.isDisjoint(with: .background) }

    private func policyState(of entry: Int) -> PolicyState? {
        policies.isEmpty ? nil : policies[entry]
    }

    /// Returns how many changes of an entry's aspect are not delivered yet.
    func pending(_ entry: Int, in log: ChangeLog) -> Int {
        if let state = policyState(of: entry), state.policy.background == .drop, !state.hadPending, isInBackground {
            return 0
        }
        return log.current.generation - entries[entry].cursor.generation
    }

    /// Returns whether an event of an entry's aspect would be delivered, if nothing held the subscription.
    func isDue(_ entry: Int, in log: ChangeLog) -> Bool {
        let cursor = entries[entry].cursor
        guard log.current.generation > cursor.generation else { return false }
        guard let state = policyState(of: entry), state.policy.netChangeOnly else { return true }
        if state.heldChanges(after: cursor, in: log) != nil { return true }
        return cursor.change.map { !$0.isSameState(as: log.current) } ?? true
    }

    /// Takes everything that is due and open, in ascending order of last change, and moves the cursors behind it.
    mutating func take(from logs: AspectTable<ChangeLog>) -> [Event] {
        let open = open
        var events: [Event] = []
        for entry in entries.indices where open.contains(entries[entry].aspect) {
            take(entry, from: logs[entries[entry].aspect], into: &events)
        }
        if events.count > 1 { events.sort { $0.sequence < $1.sequence } }
        return events
    }

    private mutating func take(_ entry: Int, from log: ChangeLog, into events: inout [Event]) {
        if let state = policyState(of: entry), case .hold(let limit) = state.policy.background,
            let held = state.heldChanges(after: entries[entry].cursor, in: log)
        {
            events += log.events(
                since: entries[entry].cursor, heldAfter: held.after, through: held.through.generation, limit: limit)
            entries[entry].cursor = held.through
        }
        if isDue(entry, in: log) {
            events.append(log.event(since: entries[entry].cursor))
            entries[entry].cursor = log.end
        }
    }

    /// Sets hold reasons; with the first of a background, notes what was due before it.
    mutating func hold(_ reasons: HoldReasons, _ logs: AspectTable<ChangeLog>) {
        let wasInBackground = isInBackground
        holds.formUnion(reasons)
        guard isInBackground, !wasInBackground else { return }
        for entry in policies.indices {
            let log = logs[entries[entry].aspect]
            policies[entry].hadPending = isDue(entry, in: log)
            policies[entry].backgroundStart = log.current.generation
        }
    }

    /// Clears hold reasons; with the last of a background, settles what the policies keep of it.
    mutating func release(_ reasons: HoldReasons, _ logs: AspectTable<ChangeLog>) {
        let wasInBackground = isInBackground
        holds.subtract(reasons)
        guard wasInBackground, !isInBackground else { return }
        for entry in policies.indices {
            let (state, log) = (policies[entry], logs[entries[entry].aspect])
            switch state.policy.background {
            case .hold where log.current.generation > state.backgroundStart:
                // What an earlier background held is still due: the changes between the two are told one by one too.
                let earlier = state.heldChanges(after: entries[entry].cursor, in: log)
                policies[entry].held = PolicyState.Held(
                    after: earlier?.after ?? state.backgroundStart, through: log.end)
            case .drop where !state.hadPending: entries[entry].cursor = log.end
            case .coalesce, .hold, .immediate, .drop: break
            }
        }
    }
}
