// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleWire
import Varlink

/// A caller that follows the subscriptions, and what it knows of them.
final class FollowerView {
    let peer: ScenePeer
    private(set) var subscriptions: [String: SubscriptionInfo] = [:]
    private var isFirst = true
    /// Whether a subscription may end while a list is written that does not have it yet.
    private let readsSlowly: Bool

    init(_ peer: ScenePeer, readsSlowly: Bool = false) {
        self.peer = peer
        self.readsSlowly = readsSlowly
        peer.send("ListSubscriptions", more: true)
    }

    /// Reads one reply, or a part of it; returns what it had, or `nil` if it is not complete.
    @discardableResult
    func read(_ most: Int = .max) throws -> SubscriptionChanges? {
        guard let reply = try peer.next(most) else { return nil }
        guard reply.error == nil, reply.continues else { throw Broken("\(reply)") }
        let changes = try SubscriptionChanges(reply.parameters, noting: UnknownWords())
        guard isFirst || !changes.subscriptions.isEmpty || !changes.ended.isEmpty else { throw Broken("nothing new") }
        isFirst = false
        for id in changes.ended {
            let isKnown = subscriptions.removeValue(forKey: id) != nil
            guard isKnown || readsSlowly else { throw Broken("\(id), which is unknown, ended") }
        }
        for subscription in changes.subscriptions {
            guard !changes.ended.contains(subscription.id) else { throw Broken("\(subscription.id) ended and did not") }
            subscriptions[subscription.id] = subscription
        }
        return changes
    }

    func readAll() throws { while try read() != nil {} }

    /// The subscriptions without what causes no reply.
    var shown: [SubscriptionInfo] { Self.shown(Array(subscriptions.values)) }

    static func shown(_ subscriptions: [SubscriptionInfo], unread: Set<String>? = nil) -> [SubscriptionInfo] {
        subscriptions.sorted { $0.id < $1.id }.map { subscription in
            let lasting: HoldReasons = unread?.contains(subscription.id) == true ? .unread : []
            let holds = unread == nil ? subscription.holds : subscription.holds.subtracting(.unread).union(lasting)
            return SubscriptionInfo(
                id: subscription.id, name: subscription.name, processID: subscription.processID,
                userID: subscription.userID, aspects: subscription.aspectSet, holds: holds,
                lifecycle: subscription.lifecycle, pending: [:], eventCount: 0, changeCount: 0,
                tasks: subscription.tasks.map { SubscriptionInfo.Task(name: $0.name, remaining: nil) })
        }
    }
}
