// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

extension Broker {
    /// Answers a call, immediately or after a fresh sample.
    func answer(_ call: Call, on connection: Connection) {
        if let refusal = connection.refusal { return fail(refusal, on: connection) }
        if call.mode == .upgrade { return fail(.methodNotImplemented(call.method), on: connection) }
        switch description.answer(call) {
        case .success(let reply): return send(connection.session.reply(reply.parameters), to: connection)
        case .failure(let error): return fail(error, on: connection)
        case nil: break
        }
        do throws(CallError) {
            // The first interface first, since almost all calls are of its methods.
            if let call = try BusCall(call, history: bus.history) { return try carryOut(call, on: connection) }
            if let call = try DeviceCall(call) { return carryOut(call, on: connection) }
            if let call = try ScheduleCall(call) { return try carryOut(call, on: connection) }
            throw .methodNotImplemented(call.method)
        } catch {
            fail(error, on: connection)
        }
    }

    private func carryOut(_ call: BusCall, on connection: Connection) throws(CallError) {
        switch call {
        case .subscribe(let request): subscribe(request, on: connection)
        case .setState(let name, let state, let wakeAfter):
            try setState(name, to: state, wakeAfter: wakeAfter, on: connection)
        case .getState(let aspects): getState(aspects, on: connection)
        case .getHistory(let aspect, let limit):
            reply(
                EventsReply(instance: bus.instance, events: bus.changes(of: aspect, limit: limit)), on: connection)
        case .listSubscriptions: reply(subscriberList, on: connection)
        case .describeAspects: reply(sourceList, on: connection)
        case .refresh: refresh(on: connection)
        case .publish(let value, let isTied):
            reply(try publish(value, isTied: isTied, on: connection), on: connection)
        case .beginTask(let subscription, let name): try beginTask(name, of: subscription, on: connection)
        case .post(let reading):
            guard isOwner(connection) else { throw .permissionDenied }
            post(reading)
            let (generation, sequence) = bus.position(of: reading.aspect)
            reply(PostReply(generation: generation, sequence: sequence), on: connection)
        }
    }

    /// Returns whether a peer may change what concerns all users, as the bus's own user and root may.
    func isOwner(_ connection: Connection) -> Bool { isOwner(connection.peer.uid) }

    /// Returns whether a user may change what concerns all users.
    func isOwner(_ user: UInt32) -> Bool { user == owner || user == 0 }

    func reply(_ reply: some BusReply, on connection: Connection) {
        send(connection.session.reply(frame: reply.encoded()), to: connection)
    }

    func fail(_ error: CallError, on connection: Connection) {
        send(connection.session.fail(error), to: connection)
    }

    /// Continues with a connection whose call had to wait, unless it has closed meanwhile.
    func resume(_ connection: Connection, _ body: () -> Void) {
        guard !connection.isClosed else { return }
        // If the call did not have to wait, its time is charged further up the stack.
        guard !connection.isInTurn else { return body() }
        charging(connection) {
            body()
            advance(connection)
        }
        deliver()
    }

    // MARK: - Methods

    private func subscribe(_ request: SubscriptionRequest, on connection: Connection) {
        connection.subscribe(to: request.aspects)
        watchers.begin(request.aspects)
        watchers.freshen(
            request.aspects, isStaying: !request.startsInBackground, isAnswer: true, for: connection.peer.uid
        ) { [weak self] in
            guard let self, !connection.isClosed else { return }
            noteForgottenNames()
            let id = SubscriptionID(rawValue: random.next())
            let start = bus.subscribe(request, as: id, at: now)
            connection.stream(id)
            if let slot = bus.slot(of: id) { subscribers.add(connection, id, slot: slot) }
            follow(connection)
            addToTasks(connection)
            noteSubscription(to: request.aspects)
            let reply = SubscribeReply(
                subscription: id.wireName, instance: bus.instance, resumed: start.resumed, events: start.events)
            let frame = Reply.encode(parameters: writer.write(reply.events, after: reply.head), continues: true)
            if awaitsReceipts { awaitReceipt(by: connection) }
            send(connection.session.reply(frame: frame, continues: true), to: connection)
            adjustWatchers()
        }
    }

    private func getState(_ aspects: AspectSet, on connection: Connection) {
        watchers.freshen(aspects, isStaying: false, isAnswer: true, for: connection.peer.uid) { [weak self] in
            self?.resume(connection) {
                guard let self else { return }
                self.send(connection.session.reply(frame: self.states(of: aspects)), to: connection)
            }
        }
    }

    /// The whole reply to GetState, which all callers share until the next change.
    private func states(of aspects: AspectSet) -> [UInt8] {
        noteForgottenNames()
        if let known = states[aspects] { return known }
        let reply = EventsReply(instance: bus.instance, events: bus.states(of: aspects, at: now))
        let frame = Reply.encode(parameters: writer.write(reply.events, after: reply.head), continues: false)
        states.keep(frame, for: aspects)
        return frame
    }

    private func refresh(on connection: Connection) {
        // Only an owner may discard posted states.
        if isOwner(connection) {
            for aspect in BuiltInAspect.allCases { bus.expectRefresh(of: aspect) }
        }
        watchers.refreshAll(for: connection.peer.uid) { [weak self] in
            self?.deliver()
            self?.resume(connection) { self?.reply(EmptyReply(), on: connection) }
        }
    }
}
