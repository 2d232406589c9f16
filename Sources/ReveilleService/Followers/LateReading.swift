// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// Notices subscribers that do not read, for parts that ask for it; a busy subscriber has some seconds.
final class LateReading: BusPart {
    let access: BusAccess
    private var readers = LateReaders()
    /// The number of parts that ask.
    private var users = 0

    init(_ access: BusAccess) { self.access = access }

    func follow(_ isFollowed: Bool) {
        users += isFollowed ? 1 : -1
        access.waits(users > 0, self)
        guard users > 0 else {
            for id in readers.late { bus.setLate(false, id) }
            return readers = LateReaders()
        }
        guard isFollowed, users == 1 else { return }
        // Events may have become due before anybody followed.
        for id in bus.subscriptions where bus.holds(of: id) == .unread && bus.isBehind(id) { wait(for: id) }
    }

    func isLate(_ id: SubscriptionID) -> Bool { readers.isLate(id) }

    func leavesUnread(_ connection: Connection) { connection.subscription.map(wait) }

    private func wait(for id: SubscriptionID) {
        if readers.wait(for: id, at: loop.bootClock) { access.timesChanged() }
    }

    func awaitsReading(by connection: Connection) -> Bool {
        connection.subscription.map(readers.isWaitedFor) ?? false
    }

    func hasRead(_ connection: Connection) {
        if let id = connection.subscription, readers.remove(id) { change(id, isLate: false) }
    }

    /// What is sent shows that everything before has been read.
    func sends(to connection: Connection) { hasRead(connection) }

    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        if let subscription { _ = readers.remove(subscription) }
    }

    var next: UInt64? { readers.next }

    func advance(to now: UInt64) { for id in readers.advance(to: now) { change(id, isLate: true) } }

    private func change(_ id: SubscriptionID, isLate: Bool) {
        bus.setLate(isLate, id)
        access.changed(id)
    }
}
