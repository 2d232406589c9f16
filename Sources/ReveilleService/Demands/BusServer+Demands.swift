// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

// A change of the demand only marks the publishers whose names overlap with it. Each looks in a turn of its own connection,
// at the cost of its own user.

extension BusServer {
    /// Replies with the demand for names and patterns, and later with its changes, until the connection closes.
    func observeDemand(_ aspects: AspectSet, on connection: Connection) {
        connection.phase.beginLasting(.demand)
        for aspect in aspects.aspects { bus.demand.observe(aspect, by: connection.number) }
        let demands = aspects.aspects.map { NameDemand(aspect: $0, isNeeded: bus.demand.isNeeded($0)) }
        features.demands.begin(connection.number, with: demands)
        turn.featuresAreDue = true
        send(demands, to: connection)
    }

    /// Sends the changes that a publisher does not know.
    func sendDemand(to connection: Connection) {
        let changes = features.demands.takeChanges(for: connection.number) { bus.demand.isNeeded($0) }
        if !changes.isEmpty { send(changes, to: connection) }
    }

    private func send(_ demands: [NameDemand], to connection: Connection) {
        send(connection.session.reply(demands.parameters, continues: true), to: connection)
    }

    func endObserving(_ connection: Connection) {
        for aspect in features.demands.end(connection.number) {
            bus.demand.endObserving(aspect, by: connection.number)
        }
    }

    /// Marks the publishers whose names are concerned, once for all changes of a turn.
    func outdateDemand() {
        guard bus.demand.hasChanges else { return }
        for number in bus.demand.takeChanged().sorted() { outdateInTurn(number) }
    }
}
