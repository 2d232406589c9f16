// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

final class PublishedNames: BusPart {
    let access: BusAccess
    private var tied = TiedNames()

    init(_ access: BusAccess) { self.access = access }

    /// Publishes or withdraws the state of a name for a peer.
    ///
    /// - Throws: `PermissionDenied`, or else `QuotaExceeded` for the value, or else for the number of names.
    func publish(_ value: PublishedValue, isTied: Bool, on connection: Connection) throws(CallError) -> PostReply {
        let user = connection.peer.uid
        let former = bus.publisher(of: value.name)
        try checkPermission(to: value, after: former, by: user)
        if value.bytes != nil { try checkQuotas(of: value, after: former, by: user) }
        let before = bus.position(of: value.name)
        let publisher = Publisher(user: user, connection: isTied ? connection.number : nil)
        let isChange = publish(value, by: publisher, after: former)
        // A name that was withdrawn may be forgotten already, and the bus no longer knows its generation.
        let reply =
            isChange
            ? PostReply(generation: before.generation + 1, sequence: bus.sequence)
            : PostReply(generation: before.generation, sequence: before.sequence)
        access.deliver()
        return reply
    }

    /// Withdraws the names whose states are tied to the connection.
    ///
    /// The withdrawals are delivered later: a connection can end in the middle of a delivery, and an immediate delivery
    /// could end further connections without limit.
    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        let names = tied.names(of: connection.number)
        guard !names.isEmpty else { return }
        for name in names {
            publish(
                PublishedValue(name, bytes: nil), by: Publisher(user: connection.peer.uid),
                after: bus.publisher(of: name))
        }
        access.deliverSoon()
    }

    @discardableResult
    private func publish(_ value: PublishedValue, by publisher: Publisher, after former: Publisher?) -> Bool {
        let isChange = bus.publish(value.name, value.bytes, by: publisher, at: now)
        let latter = value.bytes == nil ? nil : publisher
        published(value.name, from: former, to: latter)
        // The saved state contains the publisher too.
        if isChange || latter != former { access.supersedeStateOrDisconnect() }
        return isChange
    }

    func published(_ name: Aspect, from former: Publisher?, to latter: Publisher?) {
        tied.move(name, from: former?.connection, to: latter?.connection)
    }
}
