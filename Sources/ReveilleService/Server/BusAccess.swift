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

    /// Logs a line that a peer caused, unless its user's quota is used up.
    func note(_ line: @autoclosure () -> String, of user: UInt32, level: Logger.Level = .info) {
        server.note(line(), of: user, level: level)
    }

    // MARK: - Connections

    /// Returns the connection of a subscription.
    func connection(of id: SubscriptionID) -> Connection? { server.connection(of: id) }

    /// Returns whether a caller has sent the subscription of a connection to the background.
    func isInBackground(_ connection: Connection) -> Bool { server.isInBackground(connection) }

    func reply(_ reply: some BusReply, on connection: Connection) { server.reply(reply, on: connection) }

    func reply(_ reply: ListReply, on connection: Connection) { server.reply(reply, on: connection) }

    func fail(_ error: CallError, on connection: Connection) { server.fail(error, on: connection) }

    /// Sends the bytes of a reply.
    func send(_ bytes: [UInt8], to connection: Connection) { server.send(bytes, to: connection) }

    /// Continues with a connection whose call had to wait, unless it has closed meanwhile.
    func resume(_ connection: Connection, _ body: () -> Void) { server.resume(connection, body) }

    func close(_ connection: Connection) { server.close(connection) }

    // MARK: - Deliveries

    /// Sends what is due.
    func deliver() { server.deliver() }

    /// Sends what is due, and advances all parts, in another turn of the loop.
    func deliverSoon() { server.deliverSoon() }

    /// Sets the timer to the next event and the next time of a part.
    func timesChanged() { server.timesChanged() }

    /// Clears the `unread` hold of a subscriber that has read its last reply.
    func releaseIfRead(_ connection: Connection) { server.releaseIfRead(connection) }

    /// Registers a part for the hooks of each delivery, or ends the registration.
    func waits(_ isWaiting: Bool, _ part: some BusPart) { server.parts.setWaiting(isWaiting, part) }

    /// Sets a hold; see ``BusServer/hold(_:on:)``.
    func hold(_ reason: HoldReasons, on target: Connection) { server.hold(reason, on: target) }

    /// Clears a hold; see ``BusServer/wake(_:from:into:then:)``.
    func wake(
        _ target: Connection, from reason: HoldReasons, into phase: LifecyclePhase? = nil,
        then completion: @escaping () -> Void
    ) {
        server.wake(target, from: reason, into: phase, then: completion)
    }

    // MARK: - The saved state

    /// Prepares the delivery of a change; see ``BusServer/supersedeStateOrDisconnect()``.
    func supersedeStateOrDisconnect() { server.supersedeStateOrDisconnect() }

    /// Saves the state, unless the file has everything but firings of the schedule.
    func saveStateIfOutdated() { server.keeper?.saveIfOutdated() }

    /// Saves the state or removes the outdated one, and returns whether none remains.
    func settleState() -> Bool { server.keeper?.settle() ?? true }

    // MARK: - What concerns other parts

    /// Returns whether a process has work that its suspension or its end waits for.
    func isBusy(_ process: SubscriberProcess) -> Bool { server.parts.all.contains { $0.isBusy(process) } }

    /// Tells all parts that a process has no work any more.
    func becameIdle() { for part in server.parts.all { part.becameIdle() } }

    /// Tells all parts that the state of a name has another publisher, or may have.
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
    /// The time of a change.
    var now: Timestamp { access.server.now }
}
