// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension BusServer {
    func answer(_ call: Call, on connection: Connection) {
        if connection.isRefused, !methods.isAlwaysAnswered(call) {
            if let refusal = refusal(of: connection.peer) {
                connection.phase.dismiss()
                return fail(refusal, on: connection)
            }
            connections.admit(connection)
        }
        if call.mode == .upgrade { return fail(.methodNotImplemented(call.method), on: connection) }
        do throws(CallError) {
            try methods.answer(call, by: self, on: connection)
        } catch {
            fail(error, on: connection)
        }
    }

    /// Returns a subscription, whose state only its own user and root may change.
    func subscription(_ name: String, for caller: Connection) throws(CallError) -> (SubscriptionID, Connection) {
        guard let id = SubscriptionID(wireName: name), let target = connection(of: id) else {
            throw .noSuchSubscription(name)
        }
        guard [0, target.peer.uid].contains(caller.peer.uid) else { throw .permissionDenied }
        return (id, target)
    }

    /// Continues with a call once fresh samples have been taken, or at once if there is no need for them.
    func sample(
        _ aspects: AspectSet, isStaying: Bool, for connection: Connection, _ body: @escaping (BusServer) -> Void
    ) {
        let isSampling = watchers.freshen(
            aspects, isStaying: isStaying, isAnswer: true, for: connection.peer.uid,
            then: weakly(self) { server in server.resume(connection) { body(server) } })
        if !isSampling { body(self) }
    }

    // MARK: - Replies

    func reply(_ reply: some BusReply, on connection: Connection) {
        send(connection.session.reply(frame: reply.encoded()), to: connection)
    }

    /// Replies to a call that can have further replies.
    func reply(_ reply: some BusReply, continues: Bool, on connection: Connection) {
        send(connection.session.reply(reply.parameters, continues: continues), to: connection)
    }

    /// Answers with a list, whose elements are described when the piece that has them is sent.
    func reply<Items: Sequence, Element: ReplyElement>(
        each items: Items, after head: JSONObject = [:], continues: Bool = false, on connection: Connection,
        _ element: @escaping (BusServer, Items.Element) -> Element?
    ) {
        let list = ListReply(of: Element.self, after: head, continues: continues, each: items) { [unowned self] in
            element(self, $0)?.structure.bytes
        }
        reply(list, on: connection)
    }

    /// Answers with a list, which the next turns send piece by piece.
    func reply(_ reply: ListReply, on connection: Connection) {
        if connection.session.isOneway { return send(connection.session.reply(), to: connection) }
        connection.reply = reply
    }

    func fail(_ error: CallError, on connection: Connection) {
        send(connection.session.fail(error), to: connection)
    }

    /// Continues with a connection whose call had to wait, unless it has closed meanwhile.
    func resume(_ connection: Connection, _ body: () -> Void) {
        guard !connection.isClosed else { return }
        charging(connection, body)
        // Many calls may have waited for the same.
        if shares.isSpent(connection.peer.uid, at: loop.bootClock) {
            if !connection.isClosed { connection.yield() }
        } else {
            charging(connection) { advance(connection) }
        }
    }

    /// Answers a call once its events have been delivered.
    func answerAfterDeliveries(_ answer: Turn.Answer = .done, on connection: Connection) {
        turn.answers.append((connection, answer))
    }
}
