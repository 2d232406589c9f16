// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The features of the bus, as values: none knows another, and none does I/O.
struct Features: ~Copyable {
    var tasks: TaskTable
    var suspending: Suspending
    var scheduler: Scheduler
    /// The names of firings that wait for their subscribers to read them.
    var attendedNames: Set<Aspect> = []
    var tiedNames = TiedNames()
    var followers = Followers()
    var demands = Demands()
    /// The subscribers that leave events unread; `nil` while nobody asks for them.
    var lateReaders: LateReaders?
    var sleep = SleepDelay()
    var lasting = LastingCalls()
    var log = BusLog()

    /// Creates features without subscriptions, after a bus that has left cgroups frozen.
    init(_ configuration: Configuration, formerCgroups: [String], on loop: any Loop) {
        tasks = TaskTable(time: configuration.lifecycle.taskTime)
        suspending = Suspending(formerCgroups: formerCgroups)
        scheduler = Scheduler(
            programs: ScheduledPrograms(queue: LaunchQueue(at: loop.bootClock)),
            clock: ScheduleClock(awakeSince: loop.wallClock))
    }

    /// Whether features wait for any subscriber to be sent events or to read them; deliveries ask once for all.
    var awaitsReading: Bool {
        lateReaders != nil || !lasting.isEmpty || !attendedNames.isEmpty || suspending.hasDepartures
            || !sleep.audience.isEmpty
    }

    /// The earliest time that a feature waits for.
    func next(after now: UInt64) -> UInt64? {
        [tasks.next, suspending.next, scheduler.next, lateReaders?.next, sleep.next(after: now)].compactMap(\.self)
            .min()
    }
}

// The notices to features about subscriptions and their readers, in the order in which features need them.

extension BusServer {
    /// A connection has a subscription from now on.
    func subscribed(_ connection: Connection, to aspects: AspectSet) {
        // The process of a subscription is known before its tasks.
        followProcess(of: connection)
        addSubscriptionOfTasks(connection)
        attendFirings(of: aspects)
        if let id = connection.subscription { noteForFollowers { $0.begin(id) } }
        demandMayHaveChanged()
    }

    /// Callers have sent a subscription to the background, or back.
    func moved(_ connection: Connection, toForeground: Bool) {
        moveSubscriptionOfTasks(connection, toForeground: toForeground)
        noteForSleep(connection)
    }

    /// A connection is about to close; its subscription is still on the bus.
    func closing(_ connection: Connection) {
        noteForSleep(connection)
        let isAttended = !features.attendedNames.isEmpty
        if isAttended, !turn.isStopping, connection.hasReadAll { receivesFirings(connection) }
        endTasks(of: connection)
        leaveProcess(of: connection)
    }

    /// A connection has closed, and the subscription that it had has left the bus.
    func closed(_ connection: Connection, _ subscription: SubscriptionID?) {
        if subscription != nil, !turn.isStopping { desertFirings() }
        withdrawTiedNames(of: connection)
        if let subscription { _ = features.lateReaders?.remove(subscription) }
        features.followers.end(connection.number)
        endObserving(connection)
        if let subscription { noteForFollowers { $0.end(subscription) } }
        _ = features.lasting.remove(connection.number)
        if features.lateReaders != nil { turn.featuresAreDue = true }
        demandMayHaveChanged()
    }

    /// The holds, the lifecycle or the tasks of a subscription have changed.
    func changed(_ subscription: SubscriptionID) {
        noteForFollowers { $0.change(subscription) }
        demandMayHaveChanged()
    }

    /// Notes a change of a subscription; the replies follow at the end of the turn, once for all its changes.
    private func noteForFollowers(_ change: (inout SubscriptionLog) -> Void) {
        if features.followers.note(change) { turn.featuresAreDue = true }
    }

    /// Whether anybody follows the changes of subscriptions.
    var areChangesFollowed: Bool { !features.followers.isEmpty || !features.demands.isEmpty }

    private func demandMayHaveChanged() {
        if bus.demand.hasChanges { turn.featuresAreDue = true }
    }

    private func noteForSleep(_ connection: Connection) {
        if features.sleep.audience.contains(connection.number) { turn.featuresAreDue = true }
    }

    // MARK: - Readers

    /// Returns whether something waits until the peer of a connection has read everything.
    func awaitsReading(by connection: Connection) -> Bool {
        connection.subscription.map { features.lateReaders?.isWaitedFor($0) } == true
            || connection.subscription != nil && features.suspending.hasDepartures
            || features.lasting.isOutdated(connection.number)
            || features.sleep.audience.contains(connection.number)
            || awaitsFirings(connection)
    }

    /// The peer of a connection has read everything.
    func hasRead(_ connection: Connection) {
        if features.suspending.hasDepartures { turn.featuresAreDue = true }
        receivesFirings(connection)
        if let id = connection.subscription { noteReading(of: id) }
        noteForSleep(connection)
        replyFurther(to: connection)
    }

    /// A subscriber is sent events, which shows that it has read everything before.
    func sends(to connection: Connection) {
        sendsFirings(to: connection)
        if let id = connection.subscription { noteReading(of: id) }
    }
}
