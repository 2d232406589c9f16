// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

extension BusServer {
    func answer(_ call: Call, on connection: Connection) {
        if let refusal = connection.refusal { return fail(refusal, on: connection) }
        if call.mode == .upgrade { return fail(.methodNotImplemented(call.method), on: connection) }
        do throws(CallError) {
            switch try methods.resolve(call, history: bus.history) {
            case .reply(let reply): send(connection.session.reply(reply.parameters), to: connection)
            case .call(let call): try carryOut(call, on: connection)
            }
        } catch {
            fail(error, on: connection)
        }
    }

    private func carryOut(_ call: BusCall, on connection: Connection) throws(CallError) {
        switch call {
        case .subscribe(let request): try subscribe(request, on: connection)
        case .setState(let name, let state, let wakeAfter):
            try setState(name, to: state, wakeAfter: wakeAfter, on: connection)
        case .getState(let aspects, let wantsSupply): getState(aspects, omitsSupply: !wantsSupply, on: connection)
        case .getHistory(let aspect, let limit, let wantsSupply):
            let changes = bus.changes(of: aspect, limit: limit, omitsSupply: !wantsSupply)
            let head: JSONObject = ["instance": .string(bus.instance)]
            reply(ListReply(of: Event.self, after: head, each: changes) { $0.structure.bytes }, on: connection)
        case .listSubscriptions: reply(subscriberList, on: connection)
        case .followSubscriptions: followSubscriptions(on: connection)
        case .describeAspects: reply(sourceList, on: connection)
        case .refresh: refresh(on: connection)
        case .publish(let value, let isTied, let target):
            reply(try publish(value, isTied: isTied, target: target, on: connection), on: connection)
        case .observeDemand(let aspects): observeDemand(aspects, on: connection)
        case .beginTask(let subscription, let name): try beginTask(name, of: subscription, on: connection)
        case .post(let reading):
            guard permissions.isOwner(connection.peer.uid) else { throw .permissionDenied }
            post(reading)
            let (generation, sequence) = bus.position(of: reading.aspect)
            reply(Revision(generation: generation, sequence: sequence), on: connection)
        case .describeDevice: reply(facilities.deviceInfo(connection.peer.uid), on: connection)
        case .check(let names):
            let isAsking = askSystemBus(
                about: names, for: connection.peer.uid,
                then: weakly(self) { $0.answerAfterDeliveries(.check(names), on: connection) })
            if !isAsking { reply(check(names, for: connection), on: connection) }
        case .addEntry(let entry): try changeEntries(.add(entry), on: connection)
        case .cancelEntry(let id): try changeEntries(.cancel(id), on: connection)
        case .listEntries: reply(entryList(of: connection.peer.uid), on: connection)
        }
    }

    func reply(_ reply: some BusReply, on connection: Connection) {
        send(connection.session.reply(frame: reply.encoded()), to: connection)
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

    // MARK: - Methods

    private func refresh(on connection: Connection) {
        // Only an owner may discard posted states.
        if permissions.isOwner(connection.peer.uid) {
            for aspect in BuiltInAspect.allCases { bus.expectRefresh(of: aspect) }
        }
        watchers.refreshAll(for: connection.peer.uid, then: weakly(self) { $0.answerAfterDeliveries(on: connection) })
    }
}
