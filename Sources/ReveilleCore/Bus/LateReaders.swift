// SPDX-License-Identifier: Apache-2.0

/// The subscriptions that leave an event unread while another is due, and for how long.
///
/// Every delivery counts as unread at first, so only the time distinguishes a stopped program from a running one.
package struct LateReaders: Sendable {
    /// How long a busy program may take to read, in microseconds.
    package static let patience: UInt64 = 5_000_000

    /// The times when the subscriptions become late.
    private var times: [SubscriptionID: UInt64] = [:]
    package private(set) var late: Set<SubscriptionID> = []

    package init() {}

    /// The time when a subscription may become late, in microseconds since boot.
    package var next: UInt64? { times.values.min() }

    package func isLate(_ id: SubscriptionID) -> Bool { late.contains(id) }

    package func isWaitedFor(_ id: SubscriptionID) -> Bool { isLate(id) || times[id] != nil }

    /// Notes that an event is due to a subscription with an unread one; returns whether this is the next to become late.
    package mutating func wait(for id: SubscriptionID, at now: UInt64) -> Bool {
        guard !isWaitedFor(id) else { return false }
        times[id] = now + Self.patience
        return times.count == 1
    }

    /// Notes that a subscription has read everything, or has ended; returns whether it was late.
    package mutating func remove(_ id: SubscriptionID) -> Bool {
        times[id] = nil
        return late.remove(id) != nil
    }

    /// Returns the subscriptions that are late from now on, in a fixed order.
    package mutating func advance(to now: UInt64) -> [SubscriptionID] {
        let due = times.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
        for id in due { times[id] = nil }
        late.formUnion(due)
        return due
    }
}
