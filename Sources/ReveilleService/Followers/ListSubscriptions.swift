// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension ListSubscriptions: LastingMethod {
    /// Replies with all subscriptions, and with `more` later with their changes, until the connection closes.
    func carryOut(by server: BusServer, on connection: Connection) {
        guard connection.session.wantsMore else {
            let slots = 0..<server.connections.subscribers.slotCount
            return server.reply(each: slots, on: connection) { $0.subscriber(in: $1) }
        }
        connection.phase.beginLasting(Self.self)
        server.features.followers.begin(connection.number)
        server.turn.featuresAreDue = true
        server.reply(server.bus.subscriptions, on: connection)
    }

    /// Sends the changes that a follower has not seen.
    static func replyFurther(by server: BusServer, on connection: Connection) {
        let (current, ended) = server.features.followers.takeChanges(for: connection.number)
        if !current.isEmpty || !ended.isEmpty { server.reply(current, ended: ended, on: connection) }
    }
}

extension BusServer {
    fileprivate func reply(_ current: [SubscriptionID], ended: [SubscriptionID] = [], on connection: Connection) {
        let head: JSONObject = ended.isEmpty ? [:] : ["ended": .array(ended.map { .string($0.wireName) })]
        // Subscriptions that begin or end while the reply is written follow in the next one.
        reply(each: current, after: head, continues: true, on: connection) { $0.describe($1) }
    }

    private func describe(_ id: SubscriptionID) -> SubscriptionInfo? {
        guard var subscription = bus.slot(of: id).flatMap({ subscriber(in: $0) }) else { return nil }
        if features.lateReaders?.isLate(id) != true { subscription.holds.remove(.unread) }
        return subscription
    }

    /// Describes the subscription in a slot as it is now: whether it has read, and whether its process is frozen.
    fileprivate func subscriber(in slot: Int) -> SubscriptionInfo? {
        guard let connection = connections.subscribers[slot] else { return nil }
        // Otherwise, this is checked only when there is another reply to send.
        releaseIfRead(connection)
        if let process = connection.process { processes.freezes.look(at: process, at: loop.bootClock) }
        return subscriber(connection, in: slot)
    }

    private func subscriber(_ connection: Connection, in slot: Int) -> SubscriptionInfo? {
        bus.subscriber(
            in: slot, processID: connection.peer.pid, userID: connection.peer.uid,
            tasks: tasks(of: connection))
    }

    /// The subscriptions with their processes, as far as known without examining the processes.
    package var knownSubscribers: [SubscriptionInfo] {
        (0..<connections.subscribers.slotCount).compactMap { slot in
            connections.subscribers[slot].flatMap { subscriber($0, in: slot) }
        }
    }
}
