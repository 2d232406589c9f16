// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import Logging
package import ReveilleCore
package import ReveilleSystem
package import ReveilleWatchers
import ReveilleWire
package import Varlink

/// Decides which bytes go where: connections on one side, the bus and its sources on the other.
///
/// Loop thread only.
package final class Broker {
    /// Calls of one connection that are answered before others have their turn.
    static let callsPerTurn = 32
    /// How long these may take, in microseconds: a call that reads devices takes some milliseconds.
    static let timePerTurn: UInt64 = 2_000
    /// What a connection costs that comes and goes, in microseconds.
    static let timePerConnection: UInt64 = 50
    /// Replies that go out before others have their turn: some milliseconds of writing.
    static let deliveriesPerTurn = 256
    /// What the service has beside `org.varlink.service`.
    package static let interfaces = [BusInterface.make()]

    let loop: any Loop
    var limits: Configuration.Bus
    let logger: Logger
    let description: ServiceDescription
    /// Gives the instance and the subscriptions their names.
    var random: any RandomNumberGenerator
    var bus: Bus
    var writer = EventWriter()
    let watchers: WatcherPool
    var connections: [ObjectIdentifier: Connection] = [:]
    var connectionsOfUser: [UInt32: Int] = [:]
    var refused = RefusedConnections()
    var logQuota = LogQuota()
    var shares = UserShares()
    /// The answers to GetState, by what was asked for, as they stand until the next change: settings can be long.
    var states: [AspectSet: [UInt8]] = [:]
    var subscribers: [SubscriptionID: Connection] = [:]
    /// How often events of an aspect's sources were lost.
    private(set) var losses = AspectTable<Int>(repeating: 0)
    private(set) var freezes: FreezeWatch?
    private var keeper: StateKeeper?
    private var moreDeliveries: (any LoopSource)?
    private var isStopping = false
    /// Calls ``connectionClosed`` when descriptors were returned.
    var connectionClosed: () -> Void = {}

    /// Makes a broker without connections.
    ///
    /// - Parameters:
    ///   - loop: Its thread's loop.
    ///   - limits: History, frame and connection limits.
    ///   - state: Where to keep the state, and what was kept there; `nil` keeps none.
    ///   - version: The program's version, for GetInfo.
    ///   - logger: Takes what a person may need to know.
    ///   - random: Gives names that nobody can guess; a simulation has one that repeats.
    /// - Throws: `SystemError` when the loop has no room for a timer.
    package init(
        loop: any Loop, limits: Configuration.Bus, state: StateFile?, version: String, logger: Logger,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(SystemError) {
        self.loop = loop
        self.random = random
        self.limits = limits
        self.logger = logger
        description = ServiceDescription(
            vendor: "Reveille", product: "reveille", version: version, url: "https://reveille.org",
            interfaces: Self.interfaces)
        watchers = WatcherPool(loop: loop)
        let saved = Broker.load(state, logger)
        let now = Timestamp(microseconds: loop.wallClock)
        bus = Bus(
            restoring: saved ?? SavedState(instance: Broker.newInstance(&self.random), sequence: 0, entries: []),
            history: limits.history, at: now)
        if let state {
            keeper = try StateKeeper(file: state, isOnDisk: saved != nil, loop: loop, logger: logger) {
                [unowned self] in bus.savedState
            }
        }
        moreDeliveries = try loop.timer { [weak self] in self?.deliver() }
        freezes = try FreezeWatch(loop: loop, logger: logger) { [weak self] connection, isFrozen in
            self?.freezeChanged(connection, isFrozen: isFrozen)
        }
    }

    private static func load(_ file: StateFile?, _ logger: Logger) -> SavedState? {
        do throws(StateError) {
            return try file?.load()
        } catch {
            logger.warning("starting as a new instance, the saved state is not used: \(error)")
            return nil
        }
    }

    private static func newInstance(_ random: inout any RandomNumberGenerator) -> String {
        SubscriptionID(rawValue: random.next()).wireName + SubscriptionID(rawValue: random.next()).wireName
    }

    /// Starts the watchers, and saves their first readings.
    ///
    /// - Throws: `SystemError` when the loop has no room for a timer.
    package func start(_ watchers: [any Watcher]) throws(SystemError) {
        try self.watchers.install(watchers)
        keeper?.save()
    }

    /// Replaces the watchers and the limits; subscriptions, positions and posted states stay.
    ///
    /// New limits apply to new connections. The length of the history stays.
    ///
    /// - Throws: `SystemError` when the loop has no room for a timer; nothing has changed then.
    package func reconfigure(_ limits: Configuration.Bus, watchers: [any Watcher]) throws(SystemError) {
        try self.watchers.install(watchers)
        let history = self.limits.history
        if limits.history != history {
            logger.notice("bus.history stays \(history) until the bus is restarted")
        }
        self.limits = limits
        self.limits.history = history
    }

    /// Delivers what is due, ends the subscriptions and saves the state.
    package func stop() {
        for id in subscribers.keys { bus.release(.unread, from: id) }
        while let delivery = bus.nextDelivery() {
            if let connection = subscribers[delivery.subscription] { send(delivery, to: connection) }
        }
        isStopping = true
        for connection in Array(connections.values) + refused.all { close(connection) }
        watchers.stop()
        keeper?.save()
    }

    /// Takes what a source reads.
    package func report(_ reading: Reading) {
        guard bus.report(reading, at: Timestamp(microseconds: loop.wallClock)) != .same else { return }
        stateWillBeTold()
        deliver()
    }

    private func stateWillBeTold() {
        states = [:]
        guard keeper?.stateWillBeTold() == false else { return }
        bus.renew(as: Broker.newInstance(&random))
        logger.warning("continuing as a new instance: the saved state cannot be removed")
        // Subscribers come back and learn of it; with their positions of the old instance they would be wrong.
        for connection in Array(subscribers.values) { close(connection) }
    }

    /// Reads sources again, after something that may have hidden changes; posted states stand.
    ///
    /// - Parameters:
    ///   - monitoredOnly: Leaves those alone that nobody listens to.
    ///   - completion: Called once what changed has been reported.
    package func reread(monitoredOnly: Bool = true, then completion: @escaping () -> Void = {}) {
        watchers.refreshAll(monitoredOnly: monitoredOnly) { [weak self] in
            self?.deliver()
            completion()
        }
    }

    /// Counts a loss of events that ended in reading everything again; `status` shows the count.
    package func noteLoss(of aspect: Aspect) {
        losses[aspect] += 1
        logger.warning("\(aspect): events were lost, everything is read again; this was number \(losses[aspect])")
    }

    func post(_ reading: Reading) {
        if bus.post(reading, at: Timestamp(microseconds: loop.wallClock)) { stateWillBeTold() }
        deliver()
    }

    // MARK: - Delivery

    /// Sends what is due, first to the subscribers that became ready first.
    func deliver() {
        for _ in 0..<Self.deliveriesPerTurn {
            guard let ready = bus.nextReady() else { return }
            guard let connection = subscribers[ready.id] else { continue }
            freezes?.look(at: connection)
            if let delivery = bus.delivery(to: ready) { send(delivery, to: connection) }
        }
        moreDeliveries?.fire(after: .zero)
    }

    private func send(_ delivery: Delivery, to connection: Connection) {
        let parameters = writer.write(EventsReply(events: delivery.events))
        send(connection.session.reply(encoded: parameters, continues: true), to: connection)
    }

    func send(_ bytes: [UInt8], to connection: Connection) {
        do throws(SystemError) {
            try connection.send(bytes)
        } catch {
            close(connection)
        }
    }

    /// Brings the watchers to the pace that the subscribers need now.
    func adjustWatchers() {
        // A loop that has ended takes no more timers.
        guard !isStopping else { return }
        do throws(SystemError) {
            try watchers.adjust(to: bus)
        } catch {
            logger.error("\(error)")
        }
    }
}
