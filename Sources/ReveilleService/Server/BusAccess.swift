// SPDX-License-Identifier: Apache-2.0

import Logging
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

/// A part's view of the server.
final class BusAccess {
    private unowned var attached: BusServer?

    /// Connects the parts with the server, which creates them first.
    func attach(to server: BusServer) { attached = server }

    fileprivate var server: BusServer {
        guard let attached else { preconditionFailure("a part that is used before its server exists") }
        return attached
    }

    var permissions: Permissions { server.permissions }
    var isStopping: Bool { server.isStopping }

    func note(_ line: @autoclosure () -> String, of user: UInt32, level: Logger.Level = .info) {
        server.note(line(), of: user, level: level)
    }

    // MARK: - Connections

    /// Returns a subscription, whose state only its own user and root may change.
    func subscription(_ name: String, for caller: Connection) throws(CallError) -> (SubscriptionID, Connection) {
        guard let id = SubscriptionID(wireName: name), let target = server.connection(of: id) else {
            throw .noSuchSubscription(name)
        }
        guard [0, target.peer.uid].contains(caller.peer.uid) else { throw .permissionDenied }
        return (id, target)
    }

    /// Describes a subscription; `nil` if it has ended.
    func describe(_ id: SubscriptionID) -> SubscriptionInfo? {
        server.bus.slot(of: id).flatMap { server.subscriber(in: $0) }
    }

    func isInBackground(_ connection: Connection) -> Bool { server.isInBackground(connection) }

    /// Returns the subscribers to an aspect that have read everything and receive its next change now.
    func audience(of aspect: Aspect) -> [Connection] {
        server.subscribers.connections.filter { connection in
            guard let id = connection.subscription, connection.aspects.contains(aspect) else { return false }
            releaseIfRead(connection)
            return server.bus.holds(of: id)?.isEmpty == true
        }
    }

    func reply(_ reply: some BusReply, on connection: Connection) { server.reply(reply, on: connection) }

    func reply(_ reply: ListReply, on connection: Connection) { server.reply(reply, on: connection) }

    func fail(_ error: CallError, on connection: Connection) { server.fail(error, on: connection) }

    func send(_ bytes: [UInt8], to connection: Connection) { server.send(bytes, to: connection) }

    /// Calls ``BusPart/hasRead(_:)`` in another turn, after others if the share of the peer's user is used up.
    func awaitReading(by connection: Connection) {
        connection.setFlooding(server.shares.isSpent(connection.peer.uid, at: server.loop.bootClock))
        connection.awaitReading()
    }

    func resume(_ connection: Connection, _ body: () -> Void) { server.resume(connection, body) }

    func close(_ connection: Connection) { server.close(connection) }

    // MARK: - Deliveries

    /// Advances all parts at the end of this turn, or while a turn ends, at the end of the next one.
    func partsAreDue() { server.turn.partsAreDue = true }

    func timesChanged() { server.turn.timesHaveChanged = true }

    func replyAfterDeliveries(on connection: Connection) { server.replyAfterDeliveries(on: connection) }

    func releaseIfRead(_ connection: Connection) { server.releaseIfRead(connection) }

    func waits(_ isWaiting: Bool, _ part: some BusPart) { server.parts.setWaiting(isWaiting, part) }

    func hold(_ reason: HoldReasons, on target: Connection) { server.hold(reason, on: target) }

    func wake(
        _ target: Connection, from reason: HoldReasons, into phase: LifecyclePhase? = nil,
        then completion: @escaping () -> Void
    ) {
        server.wake(target, from: reason, into: phase, then: completion)
    }

    /// The calls with further replies.
    var lasting: LastingCalls { server.parts.lasting }

    // MARK: - The saved state

    func supersedeStateOrDisconnect() { server.supersedeStateOrDisconnect() }

    func saveStateIfOutdated() { server.keeper?.saveIfOutdated() }

    func settleState() -> Bool { server.keeper?.settle() ?? true }

    // MARK: - What concerns other parts

    func isBusy(_ process: SubscriberProcess?) -> Bool { server.parts.all.contains { $0.isBusy(process) } }

    var work: [String] { server.parts.all.flatMap(\.work) }

    func becameBusy() { for part in server.parts.all { part.becameBusy() } }

    func becameIdle() { for part in server.parts.all { part.becameIdle() } }

    /// Notes that the holds, the lifecycle or the tasks of a subscription have changed.
    func changed(_ subscription: SubscriptionID) { server.changed(subscription) }

    /// Asks, or asks no more, that subscribers that do not read are noticed.
    func followReading(_ isFollowed: Bool) { server.parts.lateReading.follow(isFollowed) }

    /// Returns whether a subscriber has left an event unread for long while another is due.
    func isLate(_ subscription: SubscriptionID) -> Bool { server.parts.lateReading.isLate(subscription) }

    func published(_ name: Aspect, from former: Publisher?, to latter: Publisher?) {
        for part in server.parts.all { part.published(name, from: former, to: latter) }
    }
}

extension BusPart {
    var bus: Bus {
        _read { yield access.server.bus }
        _modify { yield &access.server.bus }
    }
    var loop: any Loop { access.server.loop }
    var logger: Logger { access.server.logger }
    var configuration: Configuration { access.server.configuration }
    var now: Timestamp { access.server.now }
}
