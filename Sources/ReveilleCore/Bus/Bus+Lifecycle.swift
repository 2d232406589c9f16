// SPDX-License-Identifier: Apache-2.0

// The lifecycle of a subscription, an aspect with a log of its own.

extension Bus {
    /// Sets the part of a subscription's lifecycle that does not follow from its holds; returns whether it was different.
    @discardableResult
    package mutating func setPhase(_ phase: LifecyclePhase, of id: SubscriptionID, at time: Timestamp) -> Bool {
        guard let slot = slotOf[id].map({ Int($0) }), slots[slot]?.phase != phase else { return false }
        slots[slot]?.phase = phase
        noteLifecycle(of: slot, at: time)
        return true
    }

    /// The holds and the phase of a subscription, which determine its lifecycle; `nil` if it does not exist.
    package func standing(of id: SubscriptionID) -> (holds: HoldReasons, phase: LifecyclePhase)? {
        slotOf[id].flatMap { slots[Int($0)] }.map { ($0.holds, $0.phase) }
    }

    /// Returns the lifecycle of a subscription, whether it named the aspect or not; `nil` if it does not exist.
    package func lifecycle(of id: SubscriptionID) -> Lifecycle? {
        slotOf[id].flatMap { slots[Int($0)]?.lifecycle }
    }

    package func isSentToBackground(_ id: SubscriptionID) -> Bool {
        slotOf[id].flatMap { slots[Int($0)]?.isSentToBackground } ?? false
    }

    package func endsInBackground(_ id: SubscriptionID) -> Bool {
        slotOf[id].flatMap { slots[Int($0)]?.endsInBackground } ?? false
    }

    /// Returns whether a subscriber has read the last state of its lifecycle, or has not named the aspect.
    package func hasReadLifecycle(_ id: SubscriptionID) -> Bool {
        guard let slot = slotOf[id], let log = lifecycles[slot] else { return true }
        // The only entry listens, unless it is behind.
        return !logs[log].listeners.isEmpty && slots[Int(slot)]?.holds.contains(.unread) == false
    }

    /// Adds the log of a new subscription's lifecycle; generations count from the subscription on.
    mutating func addLifecycle(of slot: Int, at time: Timestamp) -> Int {
        let start = Change(
            generation: 0, sequence: sequence, time: time, reading: .lifecycle(slots[slot]?.lifecycle ?? .active))
        // One change is enough: the lifecycle is never held back one by one.
        let log = add(
            AspectLog(aspect: .lifecycle, changes: ChangeLog(start: start, isEstablished: true, capacity: 1)))
        lifecycles[Int32(slot)] = log
        return log
    }

    mutating func removeLifecycle(of slot: Int) {
        if let log = lifecycles.removeValue(forKey: Int32(slot)) { removeLog(log) }
    }

    /// Adds a changed lifecycle to its log; this is not a change on the bus, since nobody else can see it.
    mutating func noteLifecycle(of slot: Int, at time: Timestamp) {
        guard !lifecycles.isEmpty, let log = lifecycles[Int32(slot)], let state = slots[slot]?.lifecycle else { return }
        guard logs[log].append(.lifecycle(state), sequence: sequence, at: time, isPosted: false) else { return }
        notifyListeners(of: log)
    }
}

extension [Event] {
    /// Sorts the events of a reply: the lifecycle first, then the others in ascending order of last change.
    mutating func sortForReply() {
        guard count > 1 else { return }
        sort { $0.sequence < $1.sequence }
        if let own = firstIndex(where: { $0.reading.lifecycle != nil }), own > 0 { insert(remove(at: own), at: 0) }
    }
}
