// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The publishers that ask whether anybody needs their names: calls of ObserveDemand.
///
/// A change of the demand only marks the publishers whose names overlap with it. Each looks in a turn of its own
/// connection, at the cost of its own user.
final class Demands: BusPart {
    private final class Observer {
        let connection: Connection
        let aspects: [Aspect]
        /// What was sent last, of each name and pattern.
        var sent: [NameDemand] = []
        /// Whether the demand may have changed since.
        var isOutdated = false

        init(_ connection: Connection, _ aspects: [Aspect]) { (self.connection, self.aspects) = (connection, aspects) }
    }

    let access: BusAccess
    private var observers: [UInt64: Observer] = [:]

    init(_ access: BusAccess) { self.access = access }

    /// Replies with the demand for names and patterns, and later with its changes, until the connection closes.
    func observe(_ aspects: AspectSet, on connection: Connection) {
        if observers.isEmpty {
            access.waits(true, self)
            access.followReading(true)
        }
        connection.phase.beginLasting()
        let observer = Observer(connection, aspects.aspects)
        observers[connection.number] = observer
        for aspect in observer.aspects { bus.demand.observe(aspect, by: connection.number) }
        update(observer)
    }

    /// Sends the changes that a publisher does not know; at first, everything.
    private func update(_ observer: Observer) {
        let demands = observer.aspects.map { NameDemand(aspect: $0, isNeeded: bus.demand.isNeeded($0)) }
        let sent = observer.sent
        let changes = demands.indices.filter { sent.isEmpty || sent[$0].isNeeded != demands[$0].isNeeded }
        observer.sent = demands
        guard !changes.isEmpty else { return }
        let reply = changes.map { demands[$0] }.parameters
        access.send(observer.connection.session.reply(reply, continues: true), to: observer.connection)
    }

    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        if let observer = observers.removeValue(forKey: connection.number) {
            for aspect in observer.aspects { bus.demand.endObserving(aspect, by: connection.number) }
            if observers.isEmpty {
                access.waits(false, self)
                access.followReading(false)
            }
        }
        mayHaveChanged()
    }

    // MARK: - Changes

    func subscribed(_ connection: Connection, to aspects: AspectSet) { mayHaveChanged() }
    func changed(_ subscription: SubscriptionID) { mayHaveChanged() }

    /// The publishers are marked once for all changes of a turn.
    private func mayHaveChanged() {
        if bus.demand.hasChanges { access.partsAreDue() }
    }

    func advance(to now: UInt64) {
        guard bus.demand.hasChanges else { return }
        for number in bus.demand.takeChanged().sorted() {
            guard let observer = observers[number], !observer.isOutdated else { continue }
            observer.isOutdated = true
            access.awaitReading(by: observer.connection)
        }
    }

    func awaitsReading(by connection: Connection) -> Bool { observers[connection.number]?.isOutdated ?? false }

    func hasRead(_ connection: Connection) {
        guard let observer = observers[connection.number], observer.isOutdated else { return }
        observer.isOutdated = false
        access.resume(connection) { update(observer) }
    }
}
