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
    let access: BusAccess
    /// What each observer was sent last of its names and patterns, by the number of its connection.
    private var observers: [UInt64: [NameDemand]] = [:]

    init(_ access: BusAccess) { self.access = access }

    /// Replies with the demand for names and patterns, and later with its changes, until the connection closes.
    func observe(_ aspects: AspectSet, on connection: Connection) {
        if observers.isEmpty {
            access.waits(true, self)
            access.followReading(true)
        }
        access.lasting.begin(on: connection) { [unowned self, unowned connection] in update(connection) }
        for aspect in aspects.aspects { bus.demand.observe(aspect, by: connection.number) }
        let demands = aspects.aspects.map { NameDemand(aspect: $0, isNeeded: bus.demand.isNeeded($0)) }
        observers[connection.number] = demands
        send(demands, to: connection)
    }

    /// Sends the changes that a publisher does not know.
    private func update(_ connection: Connection) {
        guard let sent = observers[connection.number] else { return }
        let demands = sent.map { NameDemand(aspect: $0.aspect, isNeeded: bus.demand.isNeeded($0.aspect)) }
        observers[connection.number] = demands
        let changes = zip(sent, demands).filter { $0.isNeeded != $1.isNeeded }.map { $1 }
        if !changes.isEmpty { send(changes, to: connection) }
    }

    private func send(_ demands: [NameDemand], to connection: Connection) {
        access.send(connection.session.reply(demands.parameters, continues: true), to: connection)
    }

    func closed(_ connection: Connection, subscription: SubscriptionID?) {
        if let observed = observers.removeValue(forKey: connection.number) {
            for demand in observed { bus.demand.endObserving(demand.aspect, by: connection.number) }
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
        for number in bus.demand.takeChanged().sorted() { access.lasting.outdateInTurn(number) }
    }
}
