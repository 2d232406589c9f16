// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The connections with subscriptions.
struct SubscriberTable {
    private var slots: [SubscriptionID: Int] = [:]
    /// The connections by slot, which each delivery looks up.
    private var table: [Connection?] = []

    /// The identifiers of all subscriptions.
    var identifiers: some Collection<SubscriptionID> { slots.keys }

    /// The connections of all subscriptions.
    var connections: [Connection] { table.compactMap(\.self) }

    /// One more than the largest slot that was in use.
    var slotCount: Int { table.count }

    /// The connection of the subscription in a slot.
    subscript(slot slot: Int) -> Connection? { table[slot] }

    /// The connection of a subscription.
    subscript(id: SubscriptionID) -> Connection? {
        slots[id].flatMap { table[$0] }
    }

    /// The connection of a subscription that was ready and may have ended since.
    subscript(ready: ReadySubscription) -> Connection? {
        guard ready.slot < table.count, let connection = table[ready.slot] else { return nil }
        return connection.subscription?.rawValue == ready.id.rawValue ? connection : nil
    }

    /// Adds the connection of a subscription.
    mutating func add(_ connection: Connection, _ id: SubscriptionID, slot: Int) {
        while table.count <= slot { table.append(nil) }
        table[slot] = connection
        slots[id] = slot
    }

    /// Removes the connection of a subscription.
    mutating func remove(_ id: SubscriptionID) {
        if let slot = slots.removeValue(forKey: id) { table[slot] = nil }
    }
}
