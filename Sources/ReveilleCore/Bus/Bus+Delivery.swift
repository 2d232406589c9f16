// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The content of one reply to one subscription.
package struct Delivery: Sendable, Hashable {
    /// The subscription that receives it.
    package var subscription: SubscriptionID
    /// The events in ascending order of last change; never empty.
    package var events: [Event]
}

/// A subscription that has been taken off the queue for its delivery.
package struct ReadySubscription: Sendable {
    /// The subscription's identifier.
    package let id: SubscriptionID
    fileprivate let slot: Int
}

extension Bus {
    /// Takes the subscription that became ready first off the queue; `nil` when nothing is due.
    ///
    /// ``delivery(to:at:)`` must follow. The subscription may be held or canceled in between.
    package mutating func nextReady() -> ReadySubscription? {
        while readyHead < ready.count {
            let slot = ready[readyHead]
            readyHead += 1
            // Also while it never becomes empty, the queue stays as short as the number of subscriptions.
            if readyHead * 2 >= ready.count {
                ready.removeFirst(readyHead)
                readyHead = 0
            }
            slots[slot]?.isQueued = false
            // It may have been held since it was queued.
            if canDeliver(slot), let id = slots[slot]?.id { return ReadySubscription(id: id, slot: slot) }
        }
        return nil
    }

    /// Takes the next reply to a ready subscription.
    ///
    /// The reply counts as unread until ``release(_:from:)`` of ``HoldReasons/unread``. Until then, nothing more is
    /// delivered to the subscription. Events that exceed ``replySize`` follow in the next reply.
    ///
    /// - Parameters:
    ///   - ready: The subscription.
    ///   - now: The time of the delivery in microseconds since boot.
    /// - Returns: The reply; `nil` if the subscription is held now, or everything has to wait.
    package mutating func delivery(to ready: ReadySubscription, at now: UInt64) -> Delivery? {
        let slot = ready.slot
        guard slots[slot]?.id == ready.id, canDeliver(slot) else { return nil }
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
        if events.count > 1 { events.sort { $0.sequence < $1.sequence } }
        slots[slot]?.events += events.count
        slots[slot]?.changes += events.reduce(0) { $0 + $1.changes }
        hold(.unread, slot)
        return Delivery(subscription: ready.id, events: events)
    }

    /// Takes the next reply to any ready subscription; see ``delivery(to:at:)``.
    package mutating func nextDelivery(at now: UInt64) -> Delivery? {
        while let ready = nextReady() {
            if let delivery = delivery(to: ready, at: now) { return delivery }
        }
        return nil
    }

    /// Takes the due events of an entry.
    private mutating func take(_ index: Int32, into events: inout [Event], at now: UInt64) {
        let entry = entries[Int(index)]
        guard var seen = entry.seen else { return }
        let (log, count) = (Int(entry.log), events.count)
        if entry.policy >= 0, case .hold(let limit) = policies[Int(entry.policy)].policy.background,
            let held = policies[Int(entry.policy)].heldChanges(after: seen, in: logs[log].changes)
        {
            events += logs[log].changes.events(
                since: seen, heldAfter: held.after, through: held.through.generation, limit: limit)
            seen = held.through
            entries[Int(index)].seen = seen
        }
        if isDue(entries[Int(index)]) {
            events.append(logs[log].changes.event(since: seen))
            entries[Int(index)].seen = logs[log].changes.current
        }
        guard entry.policy >= 0 else { return }
        if events.count > count, let interval = policies[Int(entry.policy)].policy.intervalMicroseconds {
            policies[Int(entry.policy)].nextEvent =
                now.addingReportingOverflow(interval).overflow ? .max : now + interval
        }
    }

    private func canDeliver(_ slot: Int) -> Bool {
        guard let holds = slots[slot]?.holds, let hasPolicies = slots[slot]?.hasPolicies else { return false }
        return holds.isEmpty || hasPolicies && !holds.contains(.unread)
    }

    // MARK: - Queue

    /// Puts the listeners of a log that has changed behind it, and queues those that can take the change.
    mutating func notifyListeners(of log: Int) {
        guard !logs[log].listeners.isEmpty else { return }
        var listeners: [Int32] = []
        swap(&listeners, &logs[log].listeners)
        var kept = 0
        for index in listeners {
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
            if entry.policy >= 0 { paced.remove(index) }
            fallBehind(index)
            if isOpen { enqueue(Int(entry.slot)) }
        }
        listeners.removeSubrange(kept...)
        swap(&listeners, &logs[log].listeners)
    }

    /// Queues a subscription for its delivery.
    mutating func enqueue(_ slot: Int) {
        guard slots[slot]?.isQueued == false else { return }
        slots[slot]?.isQueued = true
        ready.append(slot)
    }

    // MARK: - Pace

    /// The time of the next ``advance(to:)`` in microseconds since boot; `nil` while nothing waits for an interval.
    package var nextPaced: UInt64? { paced.next }

    /// Makes the subscriptions ready whose interval is over.
    package mutating func advance(to now: UInt64) {
        clock = max(clock, now)
        while let index = paced.popDue(at: now) {
            endWait(of: index)
        }
    }

    /// Lets an entry continue that waited for a time, and is no longer in the queue.
    mutating func endWait(of index: Int32) {
        let entry = entries[Int(index)]
        guard entry.isBehind else { return settle(Int(entry.log)) }
        fallBehind(index)
        enqueue(Int(entry.slot))
    }
}
