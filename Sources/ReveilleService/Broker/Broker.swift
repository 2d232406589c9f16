// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import Logging
package import ReveilleCore
package import ReveilleSystem
package import ReveilleWatchers
import ReveilleWire
package import Varlink

/// Connects peers to the bus and its watchers.
///
/// Loop thread only.
package final class Broker {
    /// The most calls of one connection that are answered before others have their turn.
    static let callsPerTurn = 32
    /// The longest time for these calls, in microseconds: a call that reads devices takes some milliseconds.
    static let timePerTurn: UInt64 = 2_000
    /// The cost of accepting and closing a connection, in microseconds.
    static let timePerConnection: UInt64 = 50
    /// The most bytes that are read at once: dozens of calls, in few system calls for the longest.
    private static let readSize = 16_384
    /// The interfaces of the service, without `org.varlink.service`.
    package static var interfaces: [Interface] {
        [BusInterface.make(), DeviceInterface.make(), ScheduleInterface.make()]
    }

    let loop: any Loop
    /// The configuration, of which ``reconfigure(_:watchers:)`` replaces all but the length of the history.
    private(set) var configuration: Configuration
    /// The user whom the bus belongs to.
    let owner: UInt32
    /// Whether this is a system bus, which serves all users, and not that of one user.
    let isSystemWide: Bool
    let logger: Logger
    let description: ServiceDescription
    /// Returns the description of the device for a user.
    let deviceInfo: (UInt32) -> DeviceInfo
    /// Generates the names of the instance and of subscriptions.
    var random: any RandomNumberGenerator
    // Checks of exclusive access to these took a fifth of a delivery's instructions (`Scripts/bench instructions`).
    // None of them calls back, except that the writer asks for an event of the bus.
    @exclusivity(unchecked) var bus: Bus
    @exclusivity(unchecked) var writer = EventWriter()
    @exclusivity(unchecked) var shares = UserShares()
    /// The texts of the device's states since their last change, for GetState, by the index of the aspect.
    ///
    /// Every post discards one, and an ``AspectTable`` is not specialized in this module.
    @exclusivity(unchecked) var stateTexts = [[UInt8]?](repeating: nil, count: BuiltInAspect.allCases.count)
    @exclusivity(unchecked) var subscribers = SubscriberTable()
    let watchers: WatcherPool
    var connections: [ObjectIdentifier: Connection] = [:]
    var nextConnection: UInt64 = 0
    var connectionsOfUser: [UInt32: Int] = [:]
    var refused = RefusedConnections()
    var logQuota = LogQuota()
    var tied = TiedNames()
    @exclusivity(unchecked) var tasks: TaskTable
    /// The holders of tasks, by their connection.
    var holders: [TaskID: TaskHolder] = [:]
    /// The number of times that events of an aspect's sources were lost.
    var losses = AspectTable<Int>(repeating: 0)
    let readBuffer = ReadBuffer(capacity: Broker.readSize)
    let freezes: FreezeWatch
    let programs: any Programs
    /// The programs that are suspended, on the way to it, or being thawed.
    var suspensions: [Suspension] = []
    /// The processes that have subscribed since the suspensions were last advanced.
    var arrivals: [SubscriberProcess] = []
    /// The processes on the way to the end that they have declared.
    var endings: [SubscriberProcess] = []
    /// Whether one of these waits for its subscribers to read.
    @exclusivity(unchecked) var hasDepartures = false
    var departing: PaceTimer?
    /// Whether firings wait for their subscribers to read them.
    @exclusivity(unchecked) var awaitsReceipts = false
    /// The names of these firings.
    var attendedNames: Set<Aspect> = []
    var frozen: FrozenRecord
    /// The timer after which the cgroups that the last bus left frozen are thawed again, if they could not be.
    var formerThaws: (any LoopSource)?
    /// The processes with subscriptions, by process ID.
    var processes: [Int32: SubscriberProcess] = [:]
    private(set) var keeper: StateKeeper?
    let scheduler: ScheduleKeeper
    private var savedSchedule: SavedSchedule?
    var moreDeliveries: (any LoopSource)?
    var pacing: PaceTimer?
    private(set) var isStopping = false
    /// Called when a connection has closed and its descriptor is returned.
    var connectionClosed: () -> Void = {}

    /// Creates a broker without connections and watchers.
    ///
    /// - Parameters:
    ///   - loop: The loop of its thread.
    ///   - configuration: The limits and permissions.
    ///   - schedule: The facilities that the schedule uses.
    ///   - owner: The user whom the bus belongs to.
    ///   - isSystemWide: Whether it serves all users, which root's bus does in any case.
    ///   - state: The file of the saved state, which is restored; `nil` to save none.
    ///   - version: The program's version, for GetInfo.
    ///   - deviceInfo: Returns the description of the device for a user.
    ///   - programs: Follows, freezes and ends the processes of subscribers.
    ///   - logger: The log.
    ///   - random: Generates unpredictable names; a simulation passes one that repeats.
    /// - Throws: `SystemError` if a timer cannot be created.
    package init(
        loop: any Loop, configuration: Configuration, schedule: ScheduleServices = ScheduleServices(),
        owner: UInt32 = geteuid(), isSystemWide: Bool = false, state: StateFile?, version: String,
        deviceInfo: @escaping (UInt32) -> DeviceInfo,
        programs: any Programs, logger: Logger,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(SystemError) {
        self.loop = loop
        self.random = random
        self.configuration = configuration
        tasks = TaskTable(time: configuration.lifecycle.taskTime)
        self.owner = owner
        self.isSystemWide = isSystemWide || owner == 0
        self.logger = logger
        self.deviceInfo = deviceInfo
        self.programs = programs
        frozen = FrozenRecord(file: state?.frozenPrograms, logger)
        description = ServiceDescription(
            vendor: "Reveille", product: "reveille", version: version, url: "",
            interfaces: Self.interfaces)
        watchers = WatcherPool(loop: loop)
        freezes = try FreezeWatch(loop: loop, logger: logger)
        let saved: SavedState?
        (saved, savedSchedule) = Broker.load(state, schedule.file, logger)
        scheduler = ScheduleKeeper(schedule, loop: loop, logger: logger)
        let now = Timestamp(microseconds: loop.wallClock)
        bus = Bus(
            restoring: saved ?? SavedState(instance: Broker.newInstance(&self.random), sequence: 0, entries: []),
            history: configuration.bus.history, at: now)
        if let state {
            keeper = try StateKeeper(file: state, loop: loop, logger: logger) {
                [unowned self] in bus.savedState
            }
        }
        moreDeliveries = try loop.timer { [weak self] in
            self?.sendTaskNotices()
            self?.deliver()
        }
        pacing = try PaceTimer(loop: loop) { [weak self] in self?.advance() }
        watchers.charge = { [weak self] time, user in
            guard let self, time > 0 else { return }
            shares.charge(time, to: user, at: self.loop.bootClock)
        }
        watchers.isServedLast = { [weak self] user in
            guard let self else { return false }
            return shares.isSpent(user, at: self.loop.bootClock)
        }
        departing = try PaceTimer(loop: loop) { [weak self] in self?.advanceDepartures() }
        freezes.changed = { [weak self] in self?.freezeChanged($0) }
    }

    private static func load(_ file: StateFile?, _ logger: Logger) -> SavedState? {
        do throws(StateError) {
            return try file?.load()
        } catch {
            logger.warning("starting as a new instance, since the saved state is unusable: \(error)")
            return nil
        }
    }

    /// Loads the saved state with the firings that followed it, and the schedule.
    private static func load(
        _ state: StateFile?, _ schedule: ScheduleFile?, _ logger: Logger
    ) -> (SavedState?, SavedSchedule?) {
        let saved = load(state, logger)
        do throws(StateError) {
            guard let schedule = try schedule?.load() else { return (saved, nil) }
            let completed = saved.flatMap { schedule.completing($0) }
            if saved != nil, completed == nil {
                logger.warning("starting as a new instance: the saved state lacks firings of the schedule")
            }
            return (completed, schedule)
        } catch {
            // Firings that followed the state are lost with it, so it cannot be continued.
            logger.error("starting as a new instance, without a schedule: the saved one is unusable: \(error)")
            return (nil, nil)
        }
    }

    static func newInstance(_ random: inout any RandomNumberGenerator) -> String {
        SubscriptionID(rawValue: random.next()).wireName + SubscriptionID(rawValue: random.next()).wireName
    }

    /// Starts the watchers, and saves their first readings.
    ///
    /// - Throws: `SystemError` if a timer cannot be created.
    package func start(_ watchers: [any Watcher]) throws(SystemError) {
        try self.watchers.install(watchers)
        keeper?.save()
        resumeSchedule(savedSchedule)
        savedSchedule = nil
        thawFormerPrograms()
    }

    /// Replaces the watchers and the configuration; subscriptions, positions and posted states stay.
    ///
    /// New limits of the bus apply to new connections, those of publishers and of tasks to new calls, and the time for
    /// tasks to later backgrounds. The length of the history stays.
    ///
    /// - Throws: `SystemError` if a timer cannot be created; nothing has changed then.
    package func reconfigure(
        _ next: Configuration, watchers: [any Watcher]
    ) throws(SystemError) {
        try self.watchers.install(watchers)
        let history = configuration.bus.history
        if next.bus.history != history {
            logger.notice("bus.history remains \(history) until the bus is restarted")
        }
        configuration = next
        configuration.bus.history = history
        tasks.time = configuration.lifecycle.taskTime
    }

    /// Sends all pending deliveries, ends the subscriptions and saves the state.
    package func stop() {
        for id in subscribers.identifiers { bus.noteRead(by: id) }
        while let delivery = bus.nextDelivery(at: loop.bootClock) {
            if let connection = subscribers[delivery.subscription], connection.reply == nil {
                send(writer.frame(delivery.events), to: connection)
                // What did not fit into the socket is lost when it is closed.
                if awaitsReceipts, !connection.isClosed, !connection.hasOutput { awaitReceipt(by: connection) }
            }
        }
        isStopping = true
        for connection in Array(connections.values) + refused.all { close(connection) }
        watchers.stop()
        keeper?.save()
        thawAll()
    }

    /// The time of a change.
    var now: Timestamp { Timestamp(microseconds: loop.wallClock) }
}
