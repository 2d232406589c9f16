// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A feature of the bus, which owns its state and its calls.
///
/// A part reaches the server only through ``BusAccess``, and other parts not at all. These hooks notify a part of what
/// the server and other parts do. Loop thread only.
protocol BusPart: AnyObject {
    var access: BusAccess { get }

    /// A connection has a subscription from now on.
    func subscribed(_ connection: Connection, to aspects: AspectSet)
    /// Callers have sent a subscription to the background, or back.
    func moved(_ connection: Connection, toForeground: Bool)
    /// A connection is about to close; its subscription is still on the bus.
    func closing(_ connection: Connection)
    /// A connection has closed. The subscription that it had has left the bus.
    func closed(_ connection: Connection, subscription: SubscriptionID?)

    /// Returns whether a process, or for `nil` any, has work that its suspension or its end waits for.
    func isBusy(_ process: SubscriberProcess?) -> Bool
    /// The names of the work, with the processes, for the log.
    var work: [String] { get }
    /// A process has begun work.
    func becameBusy()
    /// A process has no work any more.
    func becameIdle()
    /// The state of a name has another publisher, or may have.
    func published(_ name: Aspect, from former: Publisher?, to latter: Publisher?)
    /// The bus continues as a new instance.
    func renewed()
    func reconfigured()

    /// The time when ``advance(to:)`` is to be called at the latest, in microseconds since boot; `nil` for never.
    ///
    /// A part calls ``BusAccess/timesChanged()`` when this time changes.
    var next: UInt64? { get }
    func advance(to now: UInt64)
    /// The bus is about to end, and all connections have closed.
    func stop()

    // Only while the part is registered by `BusAccess.waits(_:)`, since deliveries and wakes call them.

    /// Returns whether something waits until the peer of a connection has read everything.
    func awaitsReading(by connection: Connection) -> Bool
    /// The peer of a connection has read everything.
    func hasRead(_ connection: Connection)
    /// A subscriber is sent events.
    func sends(to connection: Connection)
    /// An event is due to a subscriber that has not read an earlier one.
    func leavesUnread(_ connection: Connection)
    /// The holds, the lifecycle or the tasks of a subscription have changed.
    func changed(_ subscription: SubscriptionID)
}

extension BusPart {
    func subscribed(_ connection: Connection, to aspects: AspectSet) {}
    func moved(_ connection: Connection, toForeground: Bool) {}
    func closing(_ connection: Connection) {}
    func closed(_ connection: Connection, subscription: SubscriptionID?) {}
    func isBusy(_ process: SubscriberProcess?) -> Bool { false }
    var work: [String] { [] }
    func becameBusy() {}
    func becameIdle() {}
    func published(_ name: Aspect, from former: Publisher?, to latter: Publisher?) {}
    func renewed() {}
    func reconfigured() {}
    var next: UInt64? { nil }
    func advance(to now: UInt64) {}
    func stop() {}
    func awaitsReading(by connection: Connection) -> Bool { false }
    func hasRead(_ connection: Connection) {}
    func sends(to connection: Connection) {}
    func leavesUnread(_ connection: Connection) {}
    func changed(_ subscription: SubscriptionID) {}
}

/// The parts that are not values yet.
final class BusParts {
    let schedule: ScheduleService
    /// The parts that wait for subscribers to read.
    private(set) var waiting: [any BusPart] = []

    init(schedule: ScheduleService) {
        self.schedule = schedule
    }

    /// Registers a part for the hooks of each delivery, or ends the registration.
    func setWaiting(_ isWaiting: Bool, _ part: some BusPart) {
        guard waiting.contains(where: { $0 === part }) != isWaiting else { return }
        if isWaiting { waiting.append(part) } else { waiting.removeAll { $0 === part } }
    }
}
