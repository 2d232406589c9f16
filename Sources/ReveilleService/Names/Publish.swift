// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Publish: ServedMethod {
    /// Publishes or withdraws a state; checks the permission, then the value, then the number of names.
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        if isAgain, whileConnected, value.bytes != nil, let publisher = server.bus.publisher(of: value.name),
            publisher.connection.flatMap({ server.connections[$0]?.peer }) != connection.peer,
            !server.features.tiedNames.isRepeated(value.name)
        {
            // A state that lasts, or that another process has published, is newer than a repetition. Of two repetitions,
            // the bus cannot tell which is newer.
            try server.permissions.check(
                value, after: publisher, by: connection.peer.uid, in: server.configuration)
            let last = server.bus.position(of: value.name)
            return server.reply(Revision(generation: last.generation, sequence: last.sequence), on: connection)
        }
        try server.publish(value, isTied: whileConnected, isAgain: isAgain, for: connection)
    }
}

extension Import: ServedMethod {
    /// Publishes a state that stands for many changes; only an owner may claim a number of them.
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        guard server.permissions.isOwner(connection.peer.uid) else { throw .permissionDenied }
        try server.publish(value, target: instance == server.bus.instance ? generation : nil, for: connection)
    }
}

extension BusServer {
    fileprivate func publish(
        _ value: PublishedValue, isTied: Bool = false, isAgain: Bool = false, target: Int? = nil,
        for connection: Connection
    ) throws(CallError) {
        let user = connection.peer.uid
        let former = bus.publisher(of: value.name)
        try permissions.check(value, after: former, by: user, in: configuration)
        if value.bytes != nil { try checkQuotas(of: value, after: former, by: user) }
        let before = bus.position(of: value.name)
        let publisher = Publisher(user: user, connection: isTied ? connection.number : nil)
        let isChange = publish(value, by: publisher, target: target, isAgain: isAgain)
        // A name that was withdrawn may be forgotten already, and the bus no longer knows its generation.
        let generation = value.bytes == nil ? before.generation + 1 : bus.position(of: value.name).generation
        let revision =
            isChange
            ? Revision(generation: generation, sequence: bus.sequence)
            : Revision(generation: before.generation, sequence: before.sequence)
        reply(revision, on: connection)
    }

    /// Publishes or withdraws a state, and returns whether this is a change.
    @discardableResult
    func publish(
        _ value: PublishedValue, by publisher: Publisher, target: Int? = nil, isAgain: Bool = false
    ) -> Bool {
        let former = bus.publisher(of: value.name)
        let latter = value.bytes == nil ? nil : publisher
        let isChange = bus.publish(value.name, value.bytes, by: publisher, at: now, target: target)
        features.tiedNames.move(value.name, from: former?.connection, to: latter?.connection, isAgain: isAgain)
        // The saved state contains the publisher too.
        if isChange || latter != former { supersedeStateOrDisconnect() }
        return isChange
    }

    /// Notes that a state which ended with its connection was replaced by one that does not.
    func untie(_ name: Aspect, from former: Publisher?) {
        features.tiedNames.move(name, from: former?.connection, to: nil)
    }

    func withdrawTiedNames(of connection: Connection) {
        for name in features.tiedNames.names(of: connection.number) {
            publish(PublishedValue(name, bytes: nil), by: Publisher(user: connection.peer.uid))
        }
    }

    /// Checks whether a user may publish another value, beside a number of names that are about to be published.
    func checkQuotas(
        of value: PublishedValue, after former: Publisher?, by user: UInt32, beside names: Int = 0
    ) throws(CallError) {
        try Quota.value.check(value.bytes?.count ?? 0, atMost: configuration.publish.valueSize)
        guard former?.user != user else { return }
        try Quota.names.check(bus.names(of: user).live + names + 1, atMost: configuration.publish.names)
        bus.limitWithdrawnNames(of: user, to: configuration.publish.names)
    }
}
