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
    /// ``delivery(to:)`` must follow. The subscription may be held or canceled in between.
    package mutating func nextReady() -> ReadySubscription? {
        while readyHead < ready.count {
            let slot = ready[readyHead]
            readyHead += 1
            if readyHead == ready.count {
                ready.removeAll(keepingCapacity: true)
                readyHead = 0
            }
            slots[slot]?.isQueued = false
            // It may have been held since it was queued.
            if let id = slots[slot]?.id, slots[slot]?.open.isEmpty == false {
                return ReadySubscription(id: id, slot: slot)
            }
        }
        return nil
    }

    /// Takes the next reply to a ready subscription; `nil` if it is held now.
    ///
    /// The reply counts as unread until ``release(_:from:)`` of ``HoldReasons/unread``. Until then, nothing more is
    /// delivered to the subscription.
    package mutating func delivery(to ready: ReadySubscription) -> Delivery? {
        let slot = ready.slot
        guard slots[slot]?.id == ready.id, let events = slots[slot]?.take(from: logs), !events.isEmpty else {
            return nil
        }
        slots[slot]?.events += events.count
        slots[slot]?.changes += events.reduce(0) { $0 + $1.changes }
        slots[slot]?.hold(.unread, logs)
        updateDeliverable(slot)
        return Delivery(subscription: ready.id, events: events)
    }

    /// Takes the next reply to any ready subscription; see ``delivery(to:)``.
    package mutating func nextDelivery() -> Delivery? {
        while let ready = nextReady() {
            if let delivery = delivery(to: ready) { return delivery }
        }
        return nil
    }

    /// Queues a subscription if an event of an entry's aspect is due, which must be deliverable now.
    mutating func enqueueIfDue(_ index: EntryIndex) {
        let (slot, entry) = (Int(index.slot), Int(index.entry))
        guard let subscription = slots[slot], !subscription.isQueued,
            subscription.isDue(entry, in: logs[subscription.entries[entry].aspect])
        else { return }
        slots[slot]?.isQueued = true
        ready.append(slot)
    }

    /// Updates `deliverable` and `foregroundCounts` after a subscription's holds changed, and queues what is now due.
    mutating func updateDeliverable(_ slot: Int) {
        // Single properties only: with a copy of the state, changing its entries would copy them.
        guard let open = slots[slot]?.open, let counted = slots[slot]?.countedAspects,
            let now = slots[slot]?.foregroundAspects, let entries = slots[slot]?.entries.indices
        else { return }
        for entry in entries { setDeliverable(slot, entry, open) }
        guard now != counted else { return }
        counted.subtracting(now).aspects.forEach { foregroundCounts[$0] -= 1 }
        now.subtracting(counted).aspects.forEach { foregroundCounts[$0] += 1 }
        slots[slot]?.countedAspects = now
    }

    /// Adds an entry to its aspect's list or removes it, depending on the open aspects, in constant time.
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
