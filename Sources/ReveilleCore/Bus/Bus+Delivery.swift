// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What goes out to one subscription in one reply.
package struct Delivery: Sendable, Hashable {
    /// Who gets it.
    package var subscription: SubscriptionID
    /// One event for each aspect that changed, in ascending order of last change; never none.
    package var events: [Event]
}

extension Bus {
    /// Whose turn it is, for a last look at whether to hold it; `nil` when nothing is due.
    package mutating func nextReady() -> SubscriptionID? {
        while readyHead < ready.count {
            // A hold may have come since it was queued.
            if let subscription = slots[ready[readyHead]], !subscription.open.isEmpty { return subscription.id }
            takeReady()
        }
        return nil
    }

    /// Takes the first off the queue of those who became ready.
    @discardableResult
    private mutating func takeReady() -> Int {
        let slot = ready[readyHead]
        readyHead += 1
        if readyHead == ready.count {
            ready.removeAll(keepingCapacity: true)
            readyHead = 0
        }
        slots[slot]?.isQueued = false
        return slot
    }

    /// The next reply that is due, of the subscription that became ready first.
    ///
    /// It counts as unread from now on: until ``release(_:from:)`` of ``HoldReasons/unread`` nothing more
    /// comes for that subscription, and what changes meanwhile is merged.
    package mutating func nextDelivery() -> Delivery? {
        while let id = nextReady() {
            let slot = takeReady()
            guard let open = slots[slot]?.open else { continue }
            var events: [Event] = []
            for aspect in open.aspects {
                events += slots[slot]?.take(aspect, from: logs[aspect]) ?? []
            }
            guard !events.isEmpty else { continue }
            if events.count > 1 { events.sort { $0.sequence < $1.sequence } }
            slots[slot]?.events += events.count
            slots[slot]?.changes += events.reduce(0) { $0 + $1.changes }
            slots[slot]?.holds.insert(.unread)
            updateDeliverable(slot)
            return Delivery(subscription: id, events: events)
        }
        return nil
    }

    /// Queues a subscription if one of these aspects is due to it.
    mutating func enqueueIfDue(_ slot: Int, _ aspects: AspectSet) {
        guard let subscription = slots[slot], !subscription.isQueued, !aspects.isEmpty else { return }
        guard Aspect.allCases.contains(where: { aspects.contains($0) && subscription.isDue($0, in: logs[$0]) })
        else { return }
        slots[slot]?.isQueued = true
        ready.append(slot)
    }

    /// Brings `deliverable` and `foregroundCounts` in line with a subscription's holds.
    mutating func updateDeliverable(_ slot: Int) {
        guard let subscription = slots[slot] else { return }
        let open = subscription.open
        for aspect in Aspect.allCases {
            setDeliverable(slot, aspect, open.contains(aspect))
        }
        let isForeground = subscription.holds.isDisjoint(with: .background)
        let now = isForeground ? subscription.aspects : subscription.immediate
        guard now != subscription.foregroundAspects else { return }
        subscription.foregroundAspects.subtracting(now).aspects.forEach { foregroundCounts[$0] -= 1 }
        now.subtracting(subscription.foregroundAspects).aspects.forEach { foregroundCounts[$0] += 1 }
        slots[slot]?.foregroundAspects = now
    }

    /// Puts a subscription on an aspect's list or takes it off, in constant time.
    mutating func setDeliverable(_ slot: Int, _ aspect: Aspect, _ isDeliverable: Bool) {
        guard let place = slots[slot]?.places[aspect], isDeliverable != (place >= 0) else { return }
        if isDeliverable {
            slots[slot]?.places[aspect] = Int32(deliverable[aspect].count)
            deliverable[aspect].append(Int32(slot))
            return
        }
        let last = deliverable[aspect].removeLast()
        if Int(last) != slot {
            deliverable[aspect][Int(place)] = last
            slots[Int(last)]?.places[aspect] = place
        }
        slots[slot]?.places[aspect] = -1
    }
}
