// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// The publishers that ask whether anybody needs their names: calls of ObserveDemand.
///
/// Without them it keeps nothing, and deliveries do not call it.
final class Demands: BusPart {
    private struct Observer {
        let connection: Connection
        /// What was sent last for each name and pattern.
        var sent: [Aspect: Bool]
    }

    let access: BusAccess
    private var observers: [UInt64: Observer] = [:]
    private var table = DemandTable()

    init(_ access: BusAccess) { self.access = access }

    /// Replies with the demand for names and patterns, and later with its changes, until the connection closes.
    func observe(_ aspects: AspectSet, on connection: Connection) {
        if observers.isEmpty {
            access.waits(true, self)
            access.followReading(true)
        }
        connection.phase.beginLasting()
        let new = aspects.aspects.filter { table.observe($0) }
        if !new.isEmpty { for id in bus.subscriptions { _ = update(id) } }
        let demands = aspects.aspects.map { NameDemand(aspect: $0, isNeeded: table.isNeeded($0)) }
        observers[connection.number] = Observer(
            connection: connection, sent: Dictionary(demands.map { ($0.aspect, $0.isNeeded) }) { $1 })
        send(demands, to: connection)
    }

    private func send(_ demands: [NameDemand], to connection: Connection) {
        access.send(connection.session.reply(demands.parameters, continues: true), to: connection)
    }

    // MARK: - Subscriptions

    func subscribed(_ connection: Connection, to aspects: AspectSet) { connection.subscription.map(changed) }

    func changed(_ subscription: SubscriptionID) {
        guard !observers.isEmpty, update(subscription) else { return }
        // In another turn, since a change may happen anywhere.
        access.deliverSoon()
    }

    private func update(_ id: SubscriptionID) -> Bool {
        let isLate = access.isLate(id)
        return table.set(id, needs: isLate ? [] : Set(table.aspects.filter { bus.needs($0, by: id) }))
    }

    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        if let observer = observers.removeValue(forKey: connection.number) {
            for aspect in observer.sent.keys { table.endObserving(aspect) }
            if observers.isEmpty {
                access.waits(false, self)
                access.followReading(false)
                table = DemandTable()
            }
        }
        if let subscription, !observers.isEmpty, table.set(subscription, needs: []) { access.deliverSoon() }
    }

    // MARK: - Replies

    func awaitsReading(by connection: Connection) -> Bool {
        observers[connection.number].map { !changes(for: $0).isEmpty } ?? false
    }

    func hasRead(_ connection: Connection) { sendChanges(to: connection.number) }

    func advance(to now: UInt64) {
        for number in observers.keys.sorted() { sendChanges(to: number) }
    }

    private func changes(for observer: Observer) -> [NameDemand] {
        observer.sent.filter { $1 != table.isNeeded($0) }.keys.sorted().map {
            NameDemand(aspect: $0, isNeeded: table.isNeeded($0))
        }
    }

    /// Sends the changes that an observer does not know, once it has read its last reply.
    private func sendChanges(to number: UInt64) {
        guard let observer = observers[number] else { return }
        let demands = changes(for: observer)
        guard !demands.isEmpty else { return }
        guard observer.connection.isAllRead else { return observer.connection.awaitReading() }
        for demand in demands { observers[number]?.sent[demand.aspect] = demand.isNeeded }
        access.resume(observer.connection) { send(demands, to: observer.connection) }
    }
}
