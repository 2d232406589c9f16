// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
package import ReveilleCore
package import ReveilleService
package import ReveilleSystem
package import Varlink

/// The real broker with everything around it made up: its loop, its connections, its sources.
package final class SimulatedBus {
    /// Turns at one moment, after which the loop is thought never to come to rest.
    private static let mostTurns = 100_000
    /// Deadlines that are met one by one while time passes; beyond them all that is left is late.
    private static let mostDeadlines = 1_000

    /// What may be called, beside `org.varlink.service`.
    package static var interfaces: [Interface] { Broker.interfaces }

    /// What it lives on.
    package let loop: SimulatedLoop
    private let broker: Broker
    private let watchers: [SimulatedWatcher]
    private var random: SplitMix64
    /// Numbers that no descriptor of this process has.
    private var lastNumber: Int32 = 1 << 30

    /// Starts a bus.
    ///
    /// - Parameters:
    ///   - reality: What its sources read.
    ///   - loop: The time that it begins at.
    ///   - limits: History, frame and connection limits.
    ///   - state: Where it keeps its state; `nil` for nowhere.
    ///   - random: Decides on the order of events, and on names.
    /// - Throws: `Broken` when the broker refuses to start.
    package init(
        reality: Reality, loop: SimulatedLoop, limits: Configuration.Bus, state: StateFile?, random: SplitMix64
    ) throws(Broken) {
        var random = random
        let broker: Broker
        do throws(SystemError) {
            broker = try Broker(
                loop: loop, limits: limits, state: state, version: "0",
                logger: Logger(label: "simulation", factory: { _ in SwiftLogNoOpLogHandler() }),
                random: SplitMix64(seed: random.next()))
        } catch {
            throw Broken("the bus does not start: \(error)")
        }
        watchers = Reality.aspects.map { aspect in
            SimulatedWatcher(aspect, of: reality, loop: loop, random: SplitMix64(seed: random.next())) {
                [weak broker] in broker?.report($0)
            }
        }
        self.loop = loop
        self.broker = broker
        self.random = random
        broker.start(watchers)
    }

    /// Ends it as a signal does; released without it, it is killed.
    package func stop() {
        broker.stop()
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - peer: Who; a process id that no process has, or the broker would follow that process.
    ///   - room: How many bytes it may leave unread.
    /// - Returns: The peer's end.
    package func connect(_ peer: UnixStream.Peer, room: Int) -> SimulatedStream {
        lastNumber += 1
        let stream = SimulatedStream(
            lastNumber, loop: loop, room: room, peer: peer, random: SplitMix64(seed: random.next()))
        broker.accept(SimulatedStream.BusEnd(stream))
        return stream
    }

    /// The kernel tells that something changed.
    package func look(at aspect: Aspect) {
        for watcher in watchers where watcher.aspect == aspect { watcher.look() }
    }

    /// The clock was set, or the machine woke up.
    package func clockChanged() {
        broker.reread()
    }

    // MARK: - Time

    /// Handles one event; false when none is due.
    @discardableResult
    package func turn() -> Bool {
        loop.turn(&random)
    }

    /// Handles all that is due now.
    ///
    /// - Throws: `Broken` when that has no end: a loop that is always busy.
    package func rest() throws(Broken) {
        for _ in 0..<Self.mostTurns where !turn() { return }
        throw Broken("\(Self.mostTurns) turns of the loop at one moment, and more is due")
    }

    /// Lets time pass as on a machine that is awake: what falls due is handled when it does.
    package func pass(_ duration: Duration) throws(Broken) {
        try rest()
        let end = loop.bootClock + EventLoop.microseconds(duration)
        for _ in 0..<Self.mostDeadlines {
            guard let next = loop.nextDeadline, next <= end else { break }
            loop.advance(.microseconds(Int64(next - loop.bootClock)))
            try rest()
        }
        loop.advance(.microseconds(Int64(end - loop.bootClock)))
        try rest()
    }
}
