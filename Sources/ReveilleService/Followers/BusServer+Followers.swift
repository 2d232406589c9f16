// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

extension BusServer {
    /// Replies with all subscriptions, and later with their changes, until the connection closes.
    func followSubscriptions(on connection: Connection) {
        connection.phase.beginLasting(.subscriptions)
        features.followers.begin(connection.number)
        turn.featuresAreDue = true
        reply(bus.subscriptions, on: connection)
    }

    private func reply(_ current: [SubscriptionID], ended: [SubscriptionID] = [], on connection: Connection) {
        let head: JSONObject = ended.isEmpty ? [:] : ["ended": .array(ended.map { .string($0.wireName) })]
        // What begins or ends while the reply is written follows in the next one.
        let list = ListReply(of: SubscriptionInfo.self, after: head, continues: true, each: current) {
            [unowned self] in describe($0)?.structure.bytes
        }
        reply(list, on: connection)
    }

    private func describe(_ id: SubscriptionID) -> SubscriptionInfo? {
        guard var subscription = bus.slot(of: id).flatMap({ subscriber(in: $0) }) else { return nil }
        if features.lateReaders?.isLate(id) != true { subscription.holds.remove(.unread) }
        return subscription
    }

    /// Notes a change of a subscription; the replies follow at the end of the turn, once for all its changes.
    func noteForFollowers(_ change: (inout SubscriptionLog) -> Void) {
        if features.followers.note(change) { turn.featuresAreDue = true }
    }

    /// Sends the changes that a follower has not seen.
    func sendSubscriptions(to connection: Connection) {
        let (current, ended) = features.followers.takeChanges(for: connection.number)
        if !current.isEmpty || !ended.isEmpty { reply(current, ended: ended, on: connection) }
    }
}
