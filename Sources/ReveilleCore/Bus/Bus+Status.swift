// SPDX-License-Identifier: Apache-2.0

/// The subscriptions to each aspect that are in the foreground, or ignore the background.
struct ForegroundTable: Sendable {
    var counts = AspectTable<Int>(repeating: 0)
    /// The number of subscriptions to a stream, by the desired interval between samples in microseconds.
    var sampleIntervals = AspectTable<[UInt64: Int]>(repeating: [:])
}

extension Bus {
    /// Returns the hold reasons of a subscription; `nil` if it does not exist.
    package func holds(of id: SubscriptionID) -> HoldReasons? {
        slotOf[id].flatMap { slots[Int($0)]?.holds }
    }

    /// Returns whether a subscription has changes that its last reply did not contain.
    package func isBehind(_ id: SubscriptionID) -> Bool {
        slotOf[id].flatMap { slots[Int($0)]?.firstBehind } ?? -1 >= 0
    }

    /// The generation of the last change of an aspect that a subscription has taken; `nil` without the aspect.
    package func position(of aspect: Aspect, in id: SubscriptionID) -> Int? {
        var index = slotOf[id].flatMap { slots[Int($0)]?.firstEntry } ?? -1
        while index >= 0 {
            let entry = entries[Int(index)]
            if logs[Int(entry.log)].aspect == aspect { return entry.seen?.generation }
            index = entry.next
        }
        return nil
    }

    /// Returns the slot of a subscription, a small number that no other has at the same time.
    package func slot(of id: SubscriptionID) -> Int? {
        slotOf[id].map { Int($0) }
    }

    package var subscriptions: [SubscriptionID] { slots.compactMap { $0?.id } }

    /// The most aspects with pending changes in the descriptions of all subscriptions together, about 4 MB.
    private static let pendingTotal = 16_384
    /// The number of pending aspects that each description may list in any case: more than people read.
    private static let pendingMinimum = 32
    /// At most this many are listed, to bound the time that one subscription takes.
    private static let pendingMaximum = 256

    /// Describes the subscription in a slot, with its process and tasks; of too many pending aspects, some are left out.
    package func subscriber(
        in slot: Int, processID: Int32, userID: UInt32, tasks: [SubscriptionInfo.Task] = []
    ) -> SubscriptionInfo? {
        guard let subscription = slots[slot] else { return nil }
        let limit = min(Self.pendingMaximum, max(Self.pendingMinimum, Self.pendingTotal / max(1, slotOf.count)))
        var aspects = AspectSet(profiles[slot]?.policies?.patterns ?? [])
        var pending: [Aspect: Int] = [:]
        var index = subscription.firstEntry
        while index >= 0 {
            let entry = entries[Int(index)]
            index = entry.next
            if entry.isLiteral { aspects.insert(logs[Int(entry.log)].aspect) }
            guard pending.count < limit else { continue }
            let count = self.pending(entry)
            if count > 0 { pending[logs[Int(entry.log)].aspect] = count }
        }
        return SubscriptionInfo(
            id: subscription.id.wireName, name: profiles[slot]?.name, processID: processID, userID: userID,
            aspects: aspects, holds: subscription.holds,
            lifecycle: hasLifecycle(slot) ? subscription.lifecycle : nil, pending: pending,
            eventCount: subscription.events, changeCount: subscription.changes, tasks: tasks)
    }

    /// Returns whether a subscription named its lifecycle, or the lifecycle does not follow from the holds.
    ///
    /// Clients of the first interface refuse the field, so other subscriptions do not have it.
    private func hasLifecycle(_ slot: Int) -> Bool {
        lifecycles[Int32(slot)] != nil || slots[slot]?.phase != .usual
    }

    /// Returns whether a subscription to an aspect is in the foreground, or ignores the background.
    package func hasForegroundSubscriber(_ aspect: BuiltInAspect) -> Bool {
        foreground.counts[aspect] > 0
    }

    /// The shortest interval between samples that these subscriptions want from a stream; `nil` if there are none.
    package func sampleInterval(of aspect: BuiltInAspect) -> Duration? {
        foreground.sampleIntervals[aspect].keys.min().map { .microseconds($0) }
    }
}
