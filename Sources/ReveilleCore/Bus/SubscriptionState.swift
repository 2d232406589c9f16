// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The identifier of a subscription; a random number, which reveals nothing about other subscriptions.
package struct SubscriptionID: Sendable, Hashable {
    /// The number.
    package let rawValue: UInt64

    /// Creates an identifier.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The position of one aspect of one subscription.
struct EntryIndex {
    /// The index in the bus's `slots`.
    var slot: Int32
    /// The index in the subscription's `entries`.
    var entry: Int32
}

/// A subscription: its request, its position in each log, and the reasons that hold it.
struct SubscriptionState {
    /// The subscriber's position in the log of one aspect.
    struct Entry {
        let aspect: Aspect
        var cursor: Cursor
        /// The index in the bus's `deliverable` list of the aspect; -1 if the entry is not in the list.
        var place: Int32 = -1
    }

    /// The state of a policy.
    struct PolicyState {
        /// The changes that a `hold` policy kept in a background.
        struct Held {
            /// The generation before the first of them.
            var after: Int
            /// The position after the last of them.
            var through: Cursor
        }

        var policy: Policy
        /// The generation at the start of the last background.
        var backgroundStart: Int
        /// For `hold`: the changes of a background that has ended.
        var held: Held?
        /// For `drop`: whether an event was due already when the background began.
        var hadPending = false

        /// Returns the changes to deliver one by one; `nil` once the log has dropped them all, so they are merged.
        func heldChanges(after cursor: Cursor, in log: ChangeLog) -> Held? {
            guard let held, held.through.generation > cursor.generation,
                log.retained(held.through.generation) != nil
            else { return nil }
            return held
        }
    }

    let id: SubscriptionID
    let name: String?
    let aspects: AspectSet
    /// One entry for each aspect.
    var entries: [Entry]
    /// One policy for each entry; empty if all have the default, which saves memory for thousands of subscriptions.
    var policies: [PolicyState] = []
    private(set) var holds: HoldReasons
    /// The numbers of events and changes delivered, without the first reply.
    var events = 0
    var changes = 0
    /// Whether the subscription is in the bus's `ready` queue.
    var isQueued = false
    /// The aspects for which the bus's `foregroundCounts` include the subscription.
    var countedAspects: AspectSet = []

    /// Creates a subscription at the end of the logs, with an unread first reply.
    init(_ request: SubscriptionRequest, id: SubscriptionID, logs: AspectTable<ChangeLog>) {
        self.id = id
        name = request.name
        aspects = request.aspects
        entries = request.aspects.aspects.map { Entry(aspect: $0, cursor: logs[$0].end) }
        holds = request.startsInBackground ? [.unread, .app] : .unread
        guard !request.policies.isEmpty else { return }
        policies = entries.map {
            PolicyState(policy: request.policies[$0.aspect] ?? Policy(), backgroundStart: $0.cursor.generation)
        }
    }

    /// The aspects that can be delivered now.
    var open: AspectSet {
        if holds.isEmpty { return aspects }
        return holds.contains(.unread) ? [] : immediate
    }

    /// The aspects in the foreground: all of them, or only those that ignore the background.
    var foregroundAspects: AspectSet { isInBackground ? immediate : aspects }

    /// The aspects that ignore the background.
    private var immediate: AspectSet {
        zip(entries, policies).reduce(into: []) { set, entry in
            if entry.1.policy.background == .immediate { set.insert(AspectSet(entry.0.aspect)) }
        }
    }

    private var isInBackground: Bool { !holds.isDisjoint(with: .background) }

    private func policyState(of entry: Int) -> PolicyState? {
        policies.isEmpty ? nil : policies[entry]
    }

    /// Returns the number of pending changes of an entry's aspect.
    func pending(_ entry: Int, in log: ChangeLog) -> Int {
        if let state = policyState(of: entry), state.policy.background == .drop, !state.hadPending, isInBackground {
            return 0
        }
        return log.current.generation - entries[entry].cursor.generation
    }

    /// Returns whether an event of an entry's aspect would be delivered if nothing held the subscription.
    func isDue(_ entry: Int, in log: ChangeLog) -> Bool {
        let cursor = entries[entry].cursor
        guard log.current.generation > cursor.generation else { return false }
        guard let state = policyState(of: entry), state.policy.netChangeOnly else { return true }
        if state.heldChanges(after: cursor, in: log) != nil { return true }
        return cursor.change.map { !$0.isSameState(as: log.current) } ?? true
    }

    /// Takes the due events of all open aspects, in ascending order of last change.
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

    /// Adds hold reasons, and prepares the policies if a background begins.
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

    /// Removes hold reasons, and applies the policies if a background ends.
    mutating func release(_ reasons: HoldReasons, _ logs: AspectTable<ChangeLog>) {
        let wasInBackground = isInBackground
        holds.subtract(reasons)
        guard wasInBackground, !isInBackground else { return }
        for entry in policies.indices {
            let (state, log) = (policies[entry], logs[entries[entry].aspect])
            switch state.policy.background {
            case .hold where log.current.generation > state.backgroundStart:
                // If changes of an earlier background are still due, those between the two are delivered one by one too.
                let earlier = state.heldChanges(after: entries[entry].cursor, in: log)
                policies[entry].held = PolicyState.Held(
                    after: earlier?.after ?? state.backgroundStart, through: log.end)
            case .drop where !state.hadPending: entries[entry].cursor = log.end
            case .coalesce, .hold, .immediate, .drop: break
            }
        }
    }
}
