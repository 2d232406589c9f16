// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

// A change of the demand only marks the publishers whose names overlap with it. Each takes its changes in a turn of its
// own connection, at the cost of its own user.

extension ObserveDemand: LastingMethod {
    /// Replies with the demand for names and patterns, and later with its changes, until the connection closes.
    func carryOut(by server: BusServer, on connection: Connection) {
        connection.phase.beginLasting(Self.self)
        for aspect in aspects.aspects { server.bus.demand.observe(aspect, by: connection.number) }
        let demands = aspects.aspects.map { NameDemand(aspect: $0, isNeeded: server.bus.demand.isNeeded($0)) }
        server.features.demands.begin(connection.number, with: demands)
        server.turn.featuresAreDue = true
        server.reply(demands, continues: true, on: connection)
    }

    /// Sends the changes that a publisher does not know.
    static func replyFurther(by server: BusServer, on connection: Connection) {
        let changes = server.features.demands.takeChanges(for: connection.number) { server.bus.demand.isNeeded($0) }
        if !changes.isEmpty { server.reply(changes, continues: true, on: connection) }
    }
}

extension BusServer {
    func endObserving(_ connection: Connection) {
        for aspect in features.demands.end(connection.number) {
            bus.demand.endObserving(aspect, by: connection.number)
        }
    }

    /// Marks the affected publishers, once for all changes of a turn.
    func outdateDemand() {
        guard bus.demand.hasChanges else { return }
        for number in bus.demand.takeChanged().sorted() { outdateInTurn(number) }
    }
}
