// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging
import ReveilleCore
import ReveilleHost
package import ReveilleSystem
package import ReveilleWatchers
import ReveilleWire
import Varlink

/// Connects peers to the bus and its watchers, on the loop thread only.
package final class BusServer {
    /// The most calls of one connection that are answered before others have their turn.
    static let callsPerTurn = 32
    /// The longest time for these calls, in microseconds: a call that reads devices takes some milliseconds.
    static let timePerTurn: UInt64 = 2_000
    /// The cost of accepting and closing a connection, in microseconds.
    static let timePerConnection: UInt64 = 50

    let loop: any Loop
    /// ``reconfigure(_:watchers:)`` replaces everything except the length of the history.
    private(set) var configuration: Configuration
    let permissions: Permissions
    private var log: PeerLog
    let methods: ServedMethods
    let facilities: Facilities
    /// Generates the names of the instance and of subscriptions.
    var random: any RandomNumberGenerator
    // Checks of exclusive access to these took a fifth of a delivery's instructions (`Scripts/bench instructions`).
    // None of them calls back, except that the writer asks for an event of the bus.
    @exclusivity(unchecked) var bus: Bus
    @exclusivity(unchecked) var writer = EventWriter()
    let watchers: WatcherPool
    @exclusivity(unchecked) var connections = ConnectionTable()
    var features: Features
    var processes: ProcessTable
    var alarms = ScheduleAlarms()
    /// The schedule that the previous bus has saved, until it is resumed.
    private var savedSchedule: SavedSchedule?
    /// Exists while announcements of a sleep are followed.
    var sleepInterest: SleepInterest?
    private(set) var keeper: StateKeeper?
    var turn = Turn()
    private var pacing: PaceTimer?
    /// Called when a connection has closed and its descriptor is returned.
    var connectionClosed: () -> Void = {}

    /// Creates a server without connections and watchers.
    ///
    /// Root's bus serves all users in any case. `random` generates unpredictable names; a simulation passes a repeatable
    /// generator.
    package init(
        loop: any Loop, configuration: Configuration, facilities: Facilities, owner: UInt32 = geteuid(),
        isSystemWide: Bool = false, version: String, logger: Logger,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(SystemError) {
        self.loop = loop
        self.random = random
        self.configuration = configuration
        permissions = Permissions(owner: owner, isSystemWide: isSystemWide)
        log = PeerLog(logger)
        self.facilities = facilities
        methods = ServedMethods(version: version)
        watchers = WatcherPool(loop: loop, shares: .ofProcessor())
        var (saved, savedSchedule) = BusServer.load(facilities.state, facilities.schedule.file, logger)
        let deep = (saved?.removeDeepValues() ?? []).map { "\($0)" }
        let entries = (savedSchedule?.removeDeepValues() ?? []).map { "entry \($0.entry.id) of user \($0.user)" }
        for holder in deep + entries {
            logger.warning("\(holder): left out the saved value, which is nested too deeply for this version")
        }
        let record = FrozenRecord(file: facilities.state?.frozenPrograms, logger)
        processes = ProcessTable(freezes: FreezeWatch(loop: loop, logger: logger), record: record)
        features = Features(configuration, formerCgroups: record.cgroups, on: loop)
        self.savedSchedule = savedSchedule
        bus = Bus(
            restoring: saved ?? SavedState(instance: BusServer.newInstance(&self.random), sequence: 0, entries: []),
            history: configuration.bus.history, at: Timestamp(microseconds: loop.wallClock))
        facilities.sleep?.interests.counted = saved?.timeAsleep
        loadLog()
        if let state = facilities.state {
            keeper = try StateKeeper(file: state, loop: loop, logger: logger) { [unowned self] in stateToSave() }
        }
        pacing = try PaceTimer(loop: loop, fired: weakly(self) { $0.timeHasCome() })
        followSleep()
        processes.freezes.changed = weakly(self) { $0.noteFrozen($1.isFrozen, $1.key, $1.members) }
        turn.end = loop.endTurn.register(weakly(self) { $0.settle() })
    }

    /// Loads the saved state with the firings that followed it, and the schedule.
    private static func load(
        _ state: StateFile?, _ schedule: ScheduleFile?, _ logger: Logger
    ) -> (SavedState?, SavedSchedule?) {
        var saved: SavedState?
        do throws(StateError) {
            saved = try state?.load()
        } catch {
            logger.warning("starting as a new instance, since the saved state is unusable: \(error)")
        }
        do throws(StateError) {
            guard let schedule = try schedule?.load() else { return (saved, nil) }
            let completed = saved.flatMap { schedule.completing($0) }
            if saved != nil, completed == nil {
                logger.warning("starting as a new instance: the saved state lacks firings of the schedule")
            }
            return (completed, schedule)
        } catch {
            // The firings that followed the state are lost with the file, so the state cannot be continued.
            logger.error("starting as a new instance, without a schedule: the saved one is unusable: \(error)")
            return (nil, nil)
        }
    }

    /// Returns the state to save, and lets the log take what has happened up to it: a wake-up for both.
    private func stateToSave() -> SavedState {
        takeLogLines()
        turn.timesHaveChanged = true
        var state = bus.savedState
        state.timeAsleep = facilities.sleep?.interests.counted
        return state
    }

    static func newInstance(_ random: inout any RandomNumberGenerator) -> String {
        SubscriptionID(rawValue: random.next()).wireName + SubscriptionID(rawValue: random.next()).wireName
    }

    /// Starts the watchers, and saves their first readings.
    package func start(_ watchers: [any Watcher]) throws(SystemError) {
        self.watchers.kept = configuration.watch
        self.watchers.note(nil, isWatched: true)
        try self.watchers.install(watchers)
        keeper?.save()
        resumeSchedule(savedSchedule)
        savedSchedule = nil
        turn.featuresAreDue = true
        turn.demandHasChanged = true
        settle()
    }

    /// Replaces the watchers and the configuration; subscriptions, positions and posted states stay.
    ///
    /// New limits of the bus apply to new connections, and new limits of publishers and tasks to new calls. A new task
    /// time applies from the next background on. The length of the history stays.
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
        self.watchers.kept = configuration.watch
        turn.demandHasChanged = true
        features.tasks.time = configuration.lifecycle.taskTime
        reconfigureSchedule()
    }

    /// Sends all pending deliveries, ends the subscriptions and saves the state.
    package func stop() {
        finishSaving()
        for id in connections.subscribers.connections.compactMap(\.subscription) { bus.noteRead(by: id) }
        while let delivery = bus.nextDelivery(at: loop.bootClock) {
            if let connection = connection(of: delivery.subscription), connection.reply == nil {
                send(writer.frame(delivery.events), to: connection)
                // Output that did not fit into the socket is lost when the socket is closed.
                if !connection.isClosed, !connection.hasOutput { sends(to: connection) }
            }
        }
        // The firings that a broken connection has left without receiving.
        saveRecords()
        turn.isStopping = true
        for connection in connections.all { close(connection) }
        watchers.stop()
        watchers.note(nil, isWatched: false)
        keeper?.save()
        saveLog(isLast: true)
        thawBeforeEnd()
        (features.sleep, sleepInterest) = (SleepDelay(), nil)
    }

    /// Logs a line that a peer caused, unless its user's quota is used up.
    func note(_ line: @autoclosure () -> String, of uid: UInt32, level: Logger.Level = .info) {
        // The text is computed after the log was changed: it may log a line itself.
        guard let omitted = log.admit(uid, at: loop.bootClock) else { return }
        let remark = omitted > 0 ? " (\(omitted) more lines about user \(uid) were left out before this one)" : ""
        logger.log(level: level, "\(line())\(remark)")
    }

    var logger: Logger { log.logger }

    var shares: UserShares { watchers.shares }

    func connection(of id: SubscriptionID) -> Connection? { bus.slot(of: id).flatMap { connections.subscribers[$0] } }

    // MARK: - Times

    /// The time of a change.
    var now: Timestamp { Timestamp(microseconds: loop.wallClock) }

    /// Waits for the next event that is delayed by the interval of its policy, and for the next time of a feature.
    ///
    /// If the turn has left something, another one follows at once.
    @inline(__always)
    func waitForNextTime(isAtOnce: Bool) {
        if isAtOnce { return pacing?.set(to: 0) ?? () }
        guard let next = turn.next else { return pacing?.set(to: bus.nextPaced) ?? () }
        pacing?.set(to: min(next, bus.nextPaced ?? next))
    }

    private func timeHasCome() {
        bus.advance(to: loop.bootClock)
        turn.featuresAreDue = true
    }

    // MARK: - Tests

    /// The number of event sources of the schedule, whose entries outlast the connections of their owners.
    package var scheduleSourceCount: Int { alarms.count }

    /// The cgroups that are recorded as frozen, or as about to be.
    package var recordedCgroups: [String] { processes.record.cgroups }
}
