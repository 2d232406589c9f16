// SPDX-License-Identifier: Apache-2.0

/// The content of one reply to one subscription.
package struct Delivery: Sendable, Hashable {
    package var subscription: SubscriptionID
    /// The events in ascending order of last change, after any lifecycle event; never empty.
    package var events: [Event]
}

/// A subscription that has been taken off the queue for its delivery.
package struct ReadySubscription: Sendable {
    package let id: SubscriptionID
    package let slot: Int
    /// Whether its last reply counted as unread when it was taken off.
    package let isUnread: Bool

    fileprivate var readReply: HoldReasons { isUnread ? .unread : [] }
}

extension Bus {
    // The caller of a nonmutating getter would copy the bus.
    package var hasReady: Bool { mutating get { !ready.isEmpty } }

    /// Takes the subscription that has been ready longest off the queue; `nil` if nothing is due.
    ///
    /// ``soleEvent(for:)`` or ``delivery(to:at:)`` must follow, unless the subscription's last reply is still unread:
    /// then ``noteRead(by:)`` puts it back on the queue. The subscription may be held or canceled in between.
    package mutating func takeReady() -> ReadySubscription? {
        while hasReady {
            let slot = ready.removeFirst()
            guard var state = slots[slot] else { continue }
            state.isQueued = false
            slots[slot] = state
            // The subscription may have been held since it was queued.
            guard mayDeliver(state) else { continue }
            return ReadySubscription(id: state.id, slot: slot, isUnread: state.holds.contains(.unread))
        }
        return nil
    }

    /// Takes the only event that is due to a ready subscription, which has read its last reply.
    ///
    /// Most deliveries consist of one event. The reply counts as unread, as after ``delivery(to:at:)``. Use that if the
    /// result is `nil`: the subscription is held, has policies, or has another number of events to take.
    package mutating func soleEvent(for ready: ReadySubscription) -> SoleEvent? {
        guard var state = slots[ready.slot], state.id.rawValue == ready.id.rawValue, state.firstBehind >= 0,
            state.holds.subtracting(ready.readReply).isEmpty
        else { return nil }
        let index = Int(state.firstBehind)
        let log = Int(entries[index].log)
        guard entries[index].link < 0, entries[index].policy < 0, logs[log].hasState else { return nil }
        let generation = logs[log].changes.position.generation
        guard entries[index].seen.map({ $0.generation < generation }) == true else { return nil }
        var change: Change? = logs[log].changes.current
        swap(&change, &entries[index].seen)
        guard let seen = change else { return nil }
        entries[index].listen(at: logs[log].listeners.count)
        logs[log].listeners.append(state.firstBehind)
        state.firstBehind = -1
        state.events += 1
        state.changes += generation - seen.generation
        state.holds = .unread
        slots[ready.slot] = state
        // Subscriptions that differ in this alone share the events of all other aspects.
        let omitsSupply = state.omitsSupply && log == BuiltInAspect.battery.index
        return SoleEvent(log: log, seen: seen, generation: generation, omitsSupply: omitsSupply)
    }

    /// Returns a sole event, before the next change of the bus.
    package mutating func event(_ event: SoleEvent) -> Event {
        logs[event.log].changes.event(since: event.seen, omitsSupply: event.omitsSupply)
    }

    /// Takes the next reply to a ready subscription that has read its last reply, at a time in microseconds since boot.
    ///
    /// The reply counts as unread until ``noteRead(by:)``, and nothing more is delivered before that. Events that
    /// exceed ``replySize`` follow in the next reply. There is none while the subscription is held, or all events wait.
    package mutating func delivery(to ready: ReadySubscription, at now: UInt64) -> Delivery? {
        let slot = ready.slot
        if let sole = soleEvent(for: ready) { return Delivery(subscription: ready.id, events: [event(sole)]) }
        guard let state = slots[slot], state.id == ready.id, mayDeliver(state),
            !state.holds.subtracting(ready.readReply).contains(.unread)
        else { return nil }
        slots[slot]?.holds.subtract(ready.readReply)
        clock = max(clock, now)
        var events: [Event] = []
        var withdrawn: [Int] = []
        var next = takeReply(of: slot, at: now)
        while next >= 0 {
            let index = next
            let entry = entries[Int(index)]
            next = entry.link
            take(index, into: &events, at: now)
            listen(index)
            if logs[Int(entry.log)].isQuiet { withdrawn.append(Int(entry.log)) }
        }
        for log in withdrawn { settle(log) }
        guard !events.isEmpty else { return nil }
        events.sortForReply()
        slots[slot]?.events += events.count
        slots[slot]?.changes += events.reduce(0) { $0 + $1.changeCount }
        slots[slot]?.holds.insert(.unread)
        return Delivery(subscription: ready.id, events: events)
    }

    /// Takes the next reply to any ready subscription; see ``delivery(to:at:)``.
    package mutating func nextDelivery(at now: UInt64) -> Delivery? {
        while let ready = takeReady() {
            if !ready.isUnread, let delivery = delivery(to: ready, at: now) { return delivery }
        }
        return nil
    }

    private mutating func take(_ index: Int32, into events: inout [Event], at now: UInt64) {
        let entry = entries[Int(index)]
        guard var seen = entry.seen else { return }
        let (log, count) = (Int(entry.log), events.count)
        let omitsSupply = omitsSupply(entry)
        if entry.policy >= 0, case .hold(let limit) = policies[Int(entry.policy)].policy.background,
            let held = policies[Int(entry.policy)].heldChanges(after: seen, in: logs[log].changes)
        {
            events += logs[log].changes.events(
                since: seen, heldAfter: held.after, through: held.through.generation, limit: limit,
                omitsSupply: omitsSupply)
            seen = held.through
            entries[Int(index)].seen = seen
        }
        if isDue(entries[Int(index)]) {
            events.append(logs[log].changes.event(since: seen, omitsSupply: omitsSupply))
            entries[Int(index)].seen = logs[log].changes.current
        }
        guard entry.policy >= 0 else { return }
        if events.count > count, let interval = policies[Int(entry.policy)].policy.intervalMicroseconds {
            policies[Int(entry.policy)].nextEvent =
                now.addingReportingOverflow(interval).overflow ? .max : now + interval
        }
    }

    /// Returns whether a subscription may have something to take once its last reply is read.
    private func mayDeliver(_ state: SubscriptionState) -> Bool {
        state.hasPolicies || state.holds.subtracting(.unread).isEmpty
    }

    /// Moves the listeners of a changed log to the "behind" lists, and queues subscriptions that can take the change.
    mutating func notifyListeners(of log: Int) {
        guard !logs[log].listeners.isEmpty else { return }
        var listeners: [Int32] = []
        swap(&listeners, &logs[log].listeners)
        var kept = 0
        for index in listeners {
            guard entries[Int(index)].policy >= 0 else {
                let slot = Int(entries[Int(index)].slot)
                guard var state = slots[slot] else { continue }
                entries[Int(index)].fallBehind(before: state.firstBehind)
                state.firstBehind = index
                if state.holds.subtracting(.unread).isEmpty, !state.isQueued {
                    state.isQueued = true
                    ready.append(slot)
                }
                slots[slot] = state
                continue
            }
            let entry = entries[Int(index)]
            let isOpen = isOpen(entry)
            // With `netChangeOnly`, a later change may make this one due.
            if isOpen, !isDue(entry) {
                listeners[kept] = index
                entries[Int(index)].link = Int32(kept)
                kept += 1
                continue
            }
            // It may have waited to be released with its name.
            paced.remove(index)
            fallBehind(index)
            if isOpen { enqueue(Int(entry.slot)) }
        }
        listeners.removeSubrange(kept...)
        swap(&listeners, &logs[log].listeners)
    }

    mutating func enqueue(_ slot: Int) {
        guard slots[slot]?.isQueued == false else { return }
        slots[slot]?.isQueued = true
        ready.append(slot)
    }

    /// The time of the next ``advance(to:)`` in microseconds since boot; `nil` while nothing waits for an interval.
    package var nextPaced: UInt64? { mutating get { paced.next } }

    package mutating func advance(to now: UInt64) {
        clock = max(clock, now)
        while let index = paced.popDue(at: now) {
            endWait(of: index)
        }
    }

    /// Continues with an entry whose wait is over, and which has left the queue.
    mutating func endWait(of index: Int32) {
        let entry = entries[Int(index)]
        guard entry.isBehind else { return settle(Int(entry.log)) }
        fallBehind(index)
        enqueue(Int(entry.slot))
    }
}
