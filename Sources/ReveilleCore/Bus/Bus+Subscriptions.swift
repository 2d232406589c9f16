// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Bus {
    /// Adds a subscription, which receives every change from now on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The identifier, which must be unique.
    /// - Returns: The first reply, which is sent in the background too. It counts as unread until ``release(_:from:)``
    ///   of ``HoldReasons/unread``.
    package mutating func subscribe(_ request: SubscriptionRequest, as id: SubscriptionID) -> SubscriptionStart {
        precondition(slotOf[id] == nil, "a subscription's identifier is used twice")
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

    /// Ends a subscription, and discards its pending changes.
    package mutating func cancel(_ id: SubscriptionID) {
        guard let slot = slotOf.removeValue(forKey: id) else { return }
        for entry in slots[slot]?.entries.indices ?? 0..<0 { setDeliverable(slot, entry, []) }
        slots[slot]?.countedAspects.aspects.forEach { foregroundCounts[$0] -= 1 }
        slots[slot] = nil
        freeSlots.append(slot)
    }

    /// Adds a hold reason; adding it again has no effect.
    package mutating func hold(_ reason: HoldReasons, on id: SubscriptionID) {
        guard let slot = slotOf[id] else { return }
        slots[slot]?.hold(reason, logs)
        updateDeliverable(slot)
    }

    /// Removes a hold reason; pending changes can be delivered once none is left.
    package mutating func release(_ reason: HoldReasons, from id: SubscriptionID) {
        guard let slot = slotOf[id] else { return }
        slots[slot]?.release(reason, logs)
        updateDeliverable(slot)
    }

    /// Returns the hold reasons of a subscription; `nil` if it does not exist.
    package func holds(of id: SubscriptionID) -> HoldReasons? {
        slotOf[id].flatMap { slots[$0]?.holds }
    }

    /// The status of all subscriptions.
    package var subscriptions: [SubscriptionStatus] {
        slots.compactMap { $0 }.map { subscription in
            let pending = subscription.entries.enumerated().map { entry, state in
                (state.aspect, subscription.pending(entry, in: logs[state.aspect]))
            }
            return SubscriptionStatus(
                id: subscription.id, name: subscription.name, aspects: subscription.aspects,
                holds: subscription.holds, pending: Dictionary(uniqueKeysWithValues: pending.filter { $0.1 > 0 }),
                events: subscription.events, changes: subscription.changes)
        }
    }

    /// Returns whether a subscription to an aspect is in the foreground, or ignores the background.
    package func hasForegroundSubscriber(_ aspect: Aspect) -> Bool {
        foregroundCounts[aspect] > 0
    }
}
