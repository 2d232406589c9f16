// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

struct SubscriberTable {
    private var table: [Connection?] = []

    var connections: [Connection] { table.compactMap(\.self) }

    /// One more than the largest slot that was in use.
    var slotCount: Int { table.count }

    subscript(slot: Int) -> Connection? {
        get { slot < table.count ? table[slot] : nil }
        set {
            while table.count <= slot { table.append(nil) }
            table[slot] = newValue
        }
    }

    /// The connection of a subscription that was ready and may have ended since.
    subscript(ready: ReadySubscription) -> Connection? {
        guard let connection = self[ready.slot] else { return nil }
        return connection.subscription?.rawValue == ready.id.rawValue ? connection : nil
    }
}
