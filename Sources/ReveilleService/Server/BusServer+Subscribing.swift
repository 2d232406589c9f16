// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

// Subscribe and GetState, whose replies contain the states of any number of names.

extension BusServer {
    /// Returns a subscription, whose state only its own user and root may change.
    func subscription(_ name: String, for caller: Connection) throws(CallError) -> (SubscriptionID, Connection) {
        guard let id = SubscriptionID(wireName: name), let target = connection(of: id) else {
            throw .noSuchSubscription(name)
        }
        guard [0, target.peer.uid].contains(caller.peer.uid) else { throw .permissionDenied }
        return (id, target)
    }

    /// Adds a subscription once fresh samples have been taken.
    ///
    /// - Throws: `QuotaExceeded` if the user has too many lists of domains.
    func subscribe(_ request: SubscriptionRequest, on connection: Connection) throws(CallError) {
        if let domains = request.domains, !bus.hasRoom(for: domains, of: connection.peer.uid) {
            throw .quotaExceeded(.selections, limit: Bus.selectionsPerUser)
        }
        connection.phase.subscribe(to: request.aspects)
        watchers.begin(request.aspects)
        let isSampling = watchers.freshen(
            request.aspects, isStaying: !request.startsInBackground, isAnswer: true, for: connection.peer.uid,
            then: weakly(self) { server in server.resume(connection) { server.begin(request, on: connection) } })
        if !isSampling { begin(request, on: connection) }
    }

    private func begin(_ request: SubscriptionRequest, on connection: Connection) {
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

    /// Answers with the current states once fresh samples have been taken.
    func getState(_ aspects: AspectSet, omitsSupply: Bool, on connection: Connection) {
        let isSampling = watchers.freshen(
            aspects, isStaying: false, isAnswer: true, for: connection.peer.uid,
            then: weakly(self) { server in
                server.resume(connection) { server.reply(server.states(of: aspects, omitsSupply), on: connection) }
            })
        if !isSampling { reply(states(of: aspects, omitsSupply), on: connection) }
    }

    private func states(of aspects: AspectSet, _ omitsSupply: Bool) -> ListReply {
        let head: JSONObject = ["instance": .string(bus.instance)]
        return ListReply(of: Event.self, after: head, each: bus.expand(aspects)) { [unowned self] in
            text(ofState: $0, omitsSupply: omitsSupply)
        }
    }

    /// Returns the text of an aspect's state; the texts of the device's are kept, since settings can be long, but for
    /// the battery's, which differs between callers.
    private func text(ofState aspect: Aspect, omitsSupply: Bool) -> [UInt8] {
        noteForgottenNames()
        guard let builtIn = aspect.builtIn, builtIn != .battery else {
            return writer.text(of: bus.state(of: aspect, at: now, omitsSupply: omitsSupply))
        }
        if let known = writer.states[builtIn.index] { return known }
        let text = writer.text(of: bus.state(of: aspect, at: now))
        writer.states[builtIn.index] = text
        return text
    }
}
