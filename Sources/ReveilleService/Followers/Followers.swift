// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The callers that follow who is subscribed: calls of ListSubscriptions with `more`.
///
/// Without followers it keeps nothing, and deliveries do not call it.
final class Followers: BusPart {
    let access: BusAccess
    /// The position in the log up to which each follower was sent changes, by the number of its connection.
    private var followers: [UInt64: Int] = [:]
    private var log = SubscriptionLog()

    init(_ access: BusAccess) { self.access = access }

    /// Replies with all subscriptions, and later with their changes, until the connection closes.
    func follow(on connection: Connection) {
        if followers.isEmpty {
            access.waits(true, self)
            access.followReading(true)
        }
        access.lasting.begin(on: connection) { [unowned self, unowned connection] in send(to: connection) }
        followers[connection.number] = log.position
        reply(bus.subscriptions, on: connection)
    }

    private func reply(_ current: [SubscriptionID], ended: [SubscriptionID] = [], on connection: Connection) {
        let head: JSONObject = ended.isEmpty ? [:] : ["ended": .array(ended.map { .string($0.wireName) })]
        // What begins or ends while the reply is written follows in the next one.
        var ids = current.makeIterator()
        let list = ListReply(of: SubscriptionInfo.self, after: head, continues: true) { [unowned self] in
            while let id = ids.next() {
                if let subscription = describe(id) { return subscription.structure.bytes }
            }
            return nil
        }
        access.reply(list, on: connection)
    }

    private func describe(_ id: SubscriptionID) -> SubscriptionInfo? {
        guard var subscription = access.describe(id) else { return nil }
        if !access.isLate(id) { subscription.holds.remove(.unread) }
        return subscription
    }

    // MARK: - Changes

    func subscribed(_ connection: Connection, to aspects: AspectSet) {
        guard let id = connection.subscription else { return }
        note { $0.begin(id) }
    }

    func changed(_ subscription: SubscriptionID) { note { $0.change(subscription) } }

    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        if followers.removeValue(forKey: connection.number) != nil, followers.isEmpty {
            access.waits(false, self)
            access.followReading(false)
            log = SubscriptionLog()
        }
        if let subscription { note { $0.end(subscription) } }
    }

    /// The replies follow at the end of the turn, once for all its changes.
    private func note(_ change: (inout SubscriptionLog) -> Void) {
        guard !followers.isEmpty else { return }
        change(&log)
        access.partsAreDue()
    }

    // MARK: - Replies

    func advance(to now: UInt64) {
        for (number, seen) in followers.sorted(by: { $0.key < $1.key }) where seen < log.position {
            access.lasting.outdate(number)
        }
        log.trim(Array(followers.values))
    }

    /// Sends the changes that a follower has not seen.
    private func send(to connection: Connection) {
        guard let seen = followers.updateValue(log.position, forKey: connection.number) else { return }
        let (current, ended) = log.changes(since: seen)
        if !current.isEmpty || !ended.isEmpty { reply(current, ended: ended, on: connection) }
    }
}
