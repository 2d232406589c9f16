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
        try checkPermission(to: value, of: connection)
        if value.bytes != nil { try checkQuotas(of: value, by: connection.peer.uid) }
        publish(value, by: Publisher(user: connection.peer.uid, connection: isTied ? connection.number : nil))
        deliver()
        let state = bus.state(of: value.name, at: now)
        return PostReply(generation: state.generation, sequence: state.sequence)
    }

    /// Withdraws the names whose states the connection published for as long as it lasts.
    ///
    /// The withdrawals are delivered later: a connection can end in the middle of a delivery, and a chain of such ends
    /// would have no limit.
    func withdrawNames(tiedTo connection: Connection) {
        let names = tied.names(of: connection.number)
        guard !names.isEmpty else { return }
        for name in names {
            publish(PublishedValue(name, bytes: nil), by: Publisher(user: connection.peer.uid))
        }
        deliverSoon()
    }

    private func publish(_ value: PublishedValue, by publisher: Publisher) {
        let before = bus.publisher(of: value.name)
        let isChange = bus.publish(value.name, value.bytes, by: publisher, at: now)
        let after = bus.publisher(of: value.name)
        tied.move(value.name, from: before?.connection, to: after?.connection)
        // The saved state contains the publisher too.
        if isChange || after != before { stateWillBeDelivered() }
    }

    private func checkPermission(to value: PublishedValue, of connection: Connection) throws(CallError) {
        let user = connection.peer.uid
        // Root's bus serves all users; another user's bus serves this user and root alike.
        let isSystemBus = owner == 0
        let isAllowed = isSystemBus && publishing.allow.contains { $0.allows(user, toPublish: value.name) }
        guard isOwner(connection) || isAllowed else { throw .permissionDenied }
        guard isSystemBus, let publisher = bus.publisher(of: value.name), publisher.user != user else { return }
        // Root can withdraw every state, but not replace one by mistake.
        guard user == 0, value.bytes == nil else { throw .permissionDenied }
    }

    private func checkQuotas(of value: PublishedValue, by user: UInt32) throws(CallError) {
        guard value.bytes?.count ?? 0 <= publishing.valueSize else {
            throw .quotaExceeded("value", limit: publishing.valueSize)
        }
        guard bus.publisher(of: value.name)?.user != user else { return }
        let count = bus.names(of: user)
        // Names that were withdrawn take memory until all subscribers have seen it.
        guard count.live < publishing.names, count.kept < 2 * publishing.names else {
            throw .quotaExceeded("names", limit: publishing.names)
        }
    }
}
