// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension Subscribe: ServedMethod {
    /// Adds a subscription once fresh samples have been taken.
    ///
    /// - Throws: `QuotaExceeded` if the user has too many lists of domains.
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        if let domains = request.domains, !server.bus.hasRoom(for: domains, of: connection.peer.uid) {
            throw .quotaExceeded(.selections, limit: Bus.selectionsPerUser)
        }
        connection.phase.subscribe(to: request.aspects)
        server.watchers.begin(request.aspects)
        server.sample(request.aspects, isStaying: !request.startsInBackground, for: connection) { [request] in
            $0.begin(request, on: connection)
        }
    }
}

extension BusServer {
    fileprivate func begin(_ request: SubscriptionRequest, on connection: Connection) {
        if let domains = request.domains { bus.track(domains, for: connection.peer.uid) }
        noteForgottenNames()
        let id = SubscriptionID(rawValue: random.next())
        let start = bus.subscribe(request, as: id, of: connection.peer.uid, at: now)
        connection.phase.stream(id)
        if let slot = bus.slot(of: id) { connections.subscribers[slot] = connection }
        subscribed(connection, to: request.aspects)
        let reply = SubscribeReply(
            subscription: id.wireName, instance: bus.instance, resumed: start.resumed, events: [])
        // The logs keep the values, so that replies that nobody reads do not keep others.
        let events = start.events.map { WaitingEvent($0) }
        sends(to: connection)
        connection.reply = ListReply(of: Event.self, after: reply.head, continues: true, each: events) {
            [unowned self, unowned connection] event in
            if let event = bus.event(event) { return writer.text(of: event) }
            close(
                connection, because: "it did not read the reply to Subscribe before \(event.aspect) had changed often")
            return nil
        }
        turn.demandHasChanged = true
    }
}
