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

    func subscription(_ name: String, for caller: Connection) throws(CallError) -> (SubscriptionID, Connection) {
        try server.subscription(name, for: caller)
    }

    /// Returns a connection by its number, unless it has closed.
    func connection(_ number: UInt64) -> Connection? { server.connections[number] }

    func isInBackground(_ connection: Connection) -> Bool { server.isInBackground(connection) }

    func reply(_ reply: some BusReply, on connection: Connection) { server.reply(reply, on: connection) }

    func reply(_ reply: ListReply, on connection: Connection) { server.reply(reply, on: connection) }

    func fail(_ error: CallError, on connection: Connection) { server.fail(error, on: connection) }

    func send(_ bytes: [UInt8], to connection: Connection) { server.send(bytes, to: connection) }

    func resume(_ connection: Connection, _ body: () -> Void) { server.resume(connection, body) }

    func close(_ connection: Connection) { server.close(connection) }

    // MARK: - Deliveries

    /// Advances all parts at the end of this turn, or while a turn ends, at the end of the next one.
    func partsAreDue() { server.turn.featuresAreDue = true }

    func timesChanged() { server.turn.timesHaveChanged = true }

    func answerAfterDeliveries(_ answer: Turn.Answer, on connection: Connection) {
        server.answerAfterDeliveries(answer, on: connection)
    }

    func releaseIfRead(_ connection: Connection) { server.releaseIfRead(connection) }

    func waits(_ isWaiting: Bool, _ part: some BusPart) { server.parts.setWaiting(isWaiting, part) }

    func hold(_ reason: HoldReasons, on target: Connection) { server.hold(reason, on: target) }

    func release(_ reason: HoldReasons, on target: Connection, into phase: LifecyclePhase?) {
        server.release(reason, on: target, into: phase)
    }

    // MARK: - The saved state

    func supersedeStateOrDisconnect() { server.supersedeStateOrDisconnect() }

    func saveStateIfOutdated() { server.keeper?.saveIfOutdated() }

    func settleState() -> Bool { server.keeper?.settle() ?? true }

    // MARK: - What concerns other parts

    func isBusy(_ process: SubscriberProcess) -> Bool { server.isBusy(process) }

    /// Notes that the holds, the lifecycle or the tasks of a subscription have changed.
    func changed(_ subscription: SubscriptionID) { server.changed(subscription) }

    func publish(_ value: PublishedValue, by publisher: Publisher) { server.publish(value, by: publisher) }

    func checkPermission(to value: PublishedValue, after former: Publisher?, by user: UInt32) throws(CallError) {
        try permissions.check(value, after: former, by: user, in: server.configuration)
    }

    func checkQuotas(
        of value: PublishedValue, after former: Publisher?, by user: UInt32, beside names: Int = 0
    ) throws(CallError) {
        try server.checkQuotas(of: value, after: former, by: user, beside: names)
    }

    func published(_ name: Aspect, from former: Publisher?, to latter: Publisher?) {
        server.features.tiedNames.move(name, from: former?.connection, to: latter?.connection)
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
