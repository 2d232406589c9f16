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
            guard let events = slots[slot]?.take(from: logs), !events.isEmpty else { continue }
            slots[slot]?.events += events.count
            slots[slot]?.changes += events.reduce(0) { $0 + $1.changes }
            slots[slot]?.hold(.unread, logs)
            updateDeliverable(slot)
            return Delivery(subscription: id, events: events)
        }
        return nil
    }

    /// Queues a subscription if an aspect is due to it that can be delivered now.
    mutating func enqueueIfDue(_ index: EntryIndex) {
        let (slot, entry) = (Int(index.slot), Int(index.entry))
        guard let subscription = slots[slot], !subscription.isQueued,
            subscription.isDue(entry, in: logs[subscription.entries[entry].aspect])
        else { return }
        slots[slot]?.isQueued = true
        ready.append(slot)
    }

    /// Brings `deliverable` and `foregroundCounts` in line with a subscription's holds, and queues it if anything is due
    /// that can be delivered from now on.
    mutating func updateDeliverable(_ slot: Int) {
        // The state itself is not kept in a variable: as the second reference it would have its entries copied.
        guard let open = slots[slot]?.open, let counted = slots[slot]?.countedAspects,
            let now = slots[slot]?.foregroundAspects, let entries = slots[slot]?.entries.indices
        else { return }
        for entry in entries { setDeliverable(slot, entry, open) }
        guard now != counted else { return }
        counted.subtracting(now).aspects.forEach { foregroundCounts[$0] -= 1 }
        now.subtracting(counted).aspects.forEach { foregroundCounts[$0] += 1 }
        slots[slot]?.countedAspects = now
    }

    /// Puts an entry on its aspect's list or takes it off, in constant time, as the set of open aspects has it.
    mutating func setDeliverable(_ slot: Int, _ entry: Int, _ open: AspectSet) {
        guard let aspect = slots[slot]?.entries[entry].aspect, let place = slots[slot]?.entries[entry].place,
            open.contains(aspect) != (place >= 0)
        else { return }
        let index = EntryIndex(slot: Int32(slot), entry: Int32(entry))
        if place < 0 {
            slots[slot]?.entries[entry].place = Int32(deliverable[aspect].count)
            deliverable[aspect].append(index)
            return enqueueIfDue(index)
        }
        let last = deliverable[aspect].removeLast()
        if last.slot != index.slot {
            deliverable[aspect][Int(place)] = last
            slots[Int(last.slot)]?.entries[Int(last.entry)].place = place
        }
        slots[slot]?.entries[entry].place = -1
    }
}
