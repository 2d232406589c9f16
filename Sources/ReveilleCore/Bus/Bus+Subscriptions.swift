// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Bus {
    /// Adds a subscriber and answers it; from here on it hears of every change.
    ///
    /// The answer comes in the background too, and counts as unread until ``release(_:from:)`` of
    /// ``HoldReasons/unread``.
    ///
    /// - Parameters:
    ///   - request: What it asks for.
    ///   - id: Its name, which nobody else has.
    /// - Returns: What to answer.
    package mutating func subscribe(_ request: SubscriptionRequest, as id: SubscriptionID) -> SubscriptionStart {
        precondition(slotOf[id] == nil, "a subscription's name is used twice")
        let resumed = request.positions.map { positions in
            request.instance == instance
                && request.aspects.aspects.allSatisfy { (positions[$0] ?? 0) <= logs[$0].current.generation }
        }
        var events: [Event] = []
        for aspect in request.aspects.aspects {
            let position = resumed == true ? request.positions?[aspect] : nil
            if let position, position < logs[aspect].current.generation {
                events.append(logs[aspect].event(since: logs[aspect].cursor(at: position)))
            } else if request.wantsInitial || resumed == false {
                events.append(state(of: aspect))
            }
        }
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slots[slot] = SubscriptionState(request, id: id, logs: logs)
        slotOf[id] = slot
        updateDeliverable(slot)
        return SubscriptionStart(resumed: resumed, events: events.sorted { $0.sequence < $1.sequence })
    }

    /// Ends a subscription; what was due to it is discarded.
    package mutating func cancel(_ id: SubscriptionID) {
        guard let slot = slotOf.removeValue(forKey: id) else { return }
        for entry in slots[slot]?.entries.indices ?? 0..<0 { setDeliverable(slot, entry, []) }
        slots[slot]?.countedAspects.aspects.forEach { foregroundCounts[$0] -= 1 }
        slots[slot] = nil
        freeSlots.append(slot)
    }

    /// Sets a hold reason; one that stands already changes nothing.
    package mutating func hold(_ reason: HoldReasons, on id: SubscriptionID) {
        guard let slot = slotOf[id] else { return }
        slots[slot]?.hold(reason, logs)
        updateDeliverable(slot)
    }

    /// Clears a hold reason; with the last one the subscription wakes, and what is due is delivered.
    package mutating func release(_ reason: HoldReasons, from id: SubscriptionID) {
        guard let slot = slotOf[id] else { return }
        slots[slot]?.release(reason, logs)
        updateDeliverable(slot)
    }

    /// The hold reasons of a subscription; `nil` when there is none of that name.
    package func holds(of id: SubscriptionID) -> HoldReasons? {
        slotOf[id].flatMap { slots[$0]?.holds }
    }

    /// All subscriptions, for people.
    package var subscriptions: [SubscriptionStatus] {
        slots.compactMap { $0 }.map { subscription in
            let pending = subscription.entries.indices.map { entry in
                let aspect = subscription.entries[entry].aspect
                return SubscriptionStatus.Pending(
                    aspect: aspect, changes: subscription.pending(entry, in: logs[aspect]))
            }
            return SubscriptionStatus(
                id: subscription.id, name: subscription.name, aspects: subscription.aspects,
                holds: subscription.holds, pending: pending.filter { $0.changes > 0 },
                events: subscription.events, changes: subscription.changes)
        }
    }

    /// Returns whether a subscription of the aspect is in the foreground, or ignores the background.
    package func hasForegroundSubscriber(_ aspect: Aspect) -> Bool {
        foregroundCounts[aspect] > 0
    }
}
