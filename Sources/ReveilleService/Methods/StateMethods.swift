// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension GetState: ServedMethod {
    /// Replies with the current states once fresh samples have been taken.
    func carryOut(by server: BusServer, on connection: Connection) {
        server.sample(aspects, isStaying: false, for: connection) { [self] server in
            let head: JSONObject = ["instance": .string(server.bus.instance)]
            let list = ListReply(of: Event.self, after: head, each: server.bus.expand(aspects)) { [unowned server] in
                server.text(ofState: $0, omitsSupply: !wantsSupply)
            }
            server.reply(list, on: connection)
        }
    }
}

extension BusServer {
    /// Returns the text of an aspect's state; texts of the device are kept, since settings can be long, except the
    /// battery's, which differs between callers.
    fileprivate func text(ofState aspect: Aspect, omitsSupply: Bool) -> [UInt8] {
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

extension GetHistory: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        // A reply that nobody reads keeps no change: those that the bus drops meanwhile are left out.
        let generations = server.bus.changes(of: aspect, limit: limit, omitsSupply: !wantsSupply).map(\.generation)
        let head: JSONObject = ["instance": .string(server.bus.instance)]
        let list = ListReply(of: Event.self, after: head, each: generations) { [unowned server] in
            server.bus.change(of: aspect, at: $0, omitsSupply: !wantsSupply)?.text
        }
        server.reply(list, on: connection)
    }
}

extension Post: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) throws(CallError) {
        guard server.permissions.isOwner(connection.peer.uid) else { throw .permissionDenied }
        server.post(reading)
        let (generation, sequence) = server.bus.position(of: reading.aspect)
        server.reply(Revision(generation: generation, sequence: sequence), on: connection)
    }
}

extension Refresh: ServedMethod {
    func carryOut(by server: BusServer, on connection: Connection) {
        // Only an owner may discard posted states.
        if server.permissions.isOwner(connection.peer.uid) {
            for aspect in BuiltInAspect.allCases { server.bus.expectRefresh(of: aspect) }
        }
        server.watchers.refreshAll(
            for: connection.peer.uid, then: weakly(server) { $0.answerAfterDeliveries(on: connection) })
    }
}
