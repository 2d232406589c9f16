// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Broker {
    /// Publishes or withdraws the state of a name for a peer.
    ///
    /// - Returns: The state of the name after it.
    /// - Throws: `PermissionDenied`, or else `QuotaExceeded` for the value, or else for the number of names.
    func publish(_ value: PublishedValue, isTied: Bool, on connection: Connection) throws(CallError) -> PostReply {
        let former = bus.publisher(of: value.name)
        try checkPermission(to: value, after: former, by: connection.peer.uid)
        if value.bytes != nil { try checkQuotas(of: value, after: former, by: connection.peer.uid) }
        let before = bus.position(of: value.name)
        let publisher = Publisher(user: connection.peer.uid, connection: isTied ? connection.number : nil)
        let isChange = publish(value, by: publisher, after: former)
        // A name that was withdrawn may be forgotten already, and the bus no longer knows its generation.
        let reply =
            isChange
            ? PostReply(generation: before.generation + 1, sequence: bus.sequence)
            : PostReply(generation: before.generation, sequence: before.sequence)
        deliver()
        return reply
    }

    /// Withdraws the names whose states the connection published for as long as it lasts.
    ///
    /// The withdrawals are delivered later: a connection can end in the middle of a delivery, and a chain of such ends
    /// would have no limit.
    func withdrawNames(tiedTo connection: Connection) {
        let names = tied.names(of: connection.number)
        guard !names.isEmpty else { return }
        for name in names {
            publish(
                PublishedValue(name, bytes: nil), by: Publisher(user: connection.peer.uid),
                after: bus.publisher(of: name))
        }
        deliverSoon()
    }

    @discardableResult
    private func publish(_ value: PublishedValue, by publisher: Publisher, after former: Publisher?) -> Bool {
        let isChange = bus.publish(value.name, value.bytes, by: publisher, at: now)
        let after = bus.publisher(of: value.name)
        tied.move(value.name, from: former?.connection, to: after?.connection)
        // The saved state contains the publisher too.
        if isChange || after != former { stateWillBeDelivered() }
        return isChange
    }

    /// Checks whether a user may publish or withdraw a value.
    func checkPermission(
        to value: PublishedValue, after former: Publisher?, by user: UInt32
    ) throws(CallError) {
        // A system bus serves all users; a user's bus serves this user and root alike.
        let isAllowed = isSystemWide && configuration.publish.allow.contains { $0.allows(user, toPublish: value.name) }
        guard isOwner(user) || isAllowed else { throw .permissionDenied }
        guard isSystemWide, let former, former.user != user else { return }
        // Root can withdraw every state, but not replace one by mistake.
        guard user == 0, value.bytes == nil else { throw .permissionDenied }
    }

    /// Checks whether a user may publish another value, beside a number of names that it is about to publish.
    func checkQuotas(
        of value: PublishedValue, after former: Publisher?, by user: UInt32, beside names: Int = 0
    ) throws(CallError) {
        guard value.bytes?.count ?? 0 <= configuration.publish.valueSize else {
            throw .quotaExceeded("value", limit: configuration.publish.valueSize)
        }
        guard former?.user != user else { return }
        guard bus.names(of: user).live + names < configuration.publish.names else {
            throw .quotaExceeded("names", limit: configuration.publish.names)
        }
        bus.limitWithdrawnNames(of: user, to: configuration.publish.names)
    }
}
