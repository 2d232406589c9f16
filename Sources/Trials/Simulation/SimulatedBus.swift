// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging
package import ReveilleCore
import ReveilleHost
package import ReveilleService
package import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
package import Varlink

/// The real server with a simulated loop, connections and sources.
package final class SimulatedBus {
    /// The number of iterations at one moment after which the loop is considered busy forever.
    private static let mostTurns = 100_000
    /// The number of deadlines to meet individually while time passes; later ones are handled together at the end.
    private static let mostDeadlines = 1_000

    /// The interfaces of the bus.
    package static let interfaces = [Interface.service] + BusInterface.all()

    package let loop: SimulatedLoop
    private let server: BusServer
    package let watchers: [SimulatedWatcher]
    package let motion: SimulatedMotion
    package let machine: SimulatedMachine
    private let sleep: SystemSleep
    private let configuration: Configuration
    private var random: SplitMix64
    /// The last descriptor number, in a range that this process does not use.
    private var lastNumber: Int32 = 1 << 30
    /// The number of event sources without any connection.
    private(set) var quietSources = 0

    /// Starts a bus; a system-wide one serves all users, even if it does not belong to root.
    ///
    /// By default, no program of the machine can be followed. `random` decides the order of events and the names.
    package init(
        reality: Reality, loop: SimulatedLoop, configuration: Configuration = Configuration(),
        schedule: ScheduleServices = ScheduleServices(), owner: UInt32 = geteuid(),
        isSystemWide: Bool = false, state: StateFile?, log: LogFile? = nil, programs: SimulatedPrograms? = nil,
        machine: SimulatedMachine? = nil, random: SplitMix64,
        logger: Logger = Logger(label: "simulation", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws(Broken) {
        var random = random
        let machine = machine ?? SimulatedMachine(loop: loop)
        self.machine = machine
        do throws(SystemError) {
            let sleep = try machine.follow(on: loop) { logger.warning("\($0)") }
            let server = try BusServer(
                loop: loop, configuration: configuration,
                facilities: Facilities(
                    programs: programs ?? SimulatedPrograms(loop: loop), sleep: sleep, schedule: schedule, state: state,
                    log: log, deviceInfo: Self.deviceInfo),
                owner: owner, isSystemWide: isSystemWide, version: "0", logger: logger,
                random: SplitMix64(seed: random.next()))
            watchers = Reality.aspects.map { aspect in
                SimulatedWatcher(aspect, of: reality, loop: loop, random: SplitMix64(seed: random.next())) {
                    [weak server] in server?.report($0)
                }
            }
            motion = SimulatedMotion(loop: loop) { [weak server] in server?.report($0) }
            self.loop = loop
            self.server = server
            self.random = random
            self.sleep = sleep
            self.configuration = configuration
            try server.start(watchers + [motion, sleepWatcher()])
            // The sample with which the watching of the battery begins ends soon.
            quietSources = watchers.reduce(loop.sourceCount - (programs?.sourceCount ?? 0)) { $0 - $1.samplesUnderWay }
        } catch {
            throw Broken("the bus does not start: \(error)")
        }
    }

    private func sleepWatcher() -> SleepWatcher {
        let context = WatcherContext(report: { [weak server] in server?.report($0) }, warn: { _ in }, overflowed: {})
        return SleepWatcher(machine: sleep, after: server.savedSleep, context: context)
    }

    /// Reads the configuration again, as for SIGHUP; the watcher of the sleep is replaced.
    package func reload() throws(SystemError) {
        try server.reconfigure(configuration, watchers: [sleepWatcher()])
    }

    private static func deviceInfo(forUser user: UInt32) -> DeviceInfo {
        let files: [DeviceFile: [UInt8]] = [
            .productName: Array("Simulation\n".utf8), .machineID: Array("0123456789abcdef0123456789abcdef\n".utf8),
        ]
        return DeviceInfo(DeviceFacts(host: "simulation", kernel: "6.1", files: files), forUser: user)
    }

    /// The number of the schedule's event sources; entries outlast the connections of their owners.
    package var scheduleSourceCount: Int { server.scheduleSourceCount }

    /// The subscriptions as ListSubscriptions shows them.
    package var subscribers: [SubscriptionInfo] { server.knownSubscribers }

    /// The cgroups that the next bus thaws, if this one is killed and has a state file.
    package var recordedCgroups: [String] { server.recordedCgroups }

    /// Stops the bus as a signal does; a bus that is released without being stopped is killed.
    package func stop() {
        server.stop()
    }

    /// Connects a peer, which may leave `room` bytes unread, and returns its end.
    ///
    /// Its process ID must be unused, since the server would watch a real process.
    package func connect(_ peer: UnixStream.Peer, room: Int) -> SimulatedStream {
        lastNumber += 1
        let stream = SimulatedStream(
            lastNumber, loop: loop, room: room, peer: peer, random: SplitMix64(seed: random.next()))
        server.accept(SimulatedStream.BusEnd(stream))
        return stream
    }

    /// Notifies the watchers of an aspect that it changed.
    package func look(at aspect: BuiltInAspect) {
        for watcher in watchers where watcher.aspect == aspect { watcher.look() }
    }

    /// Notifies the bus that the clock was set or the machine resumed.
    package func clockChanged() {
        server.reread()
    }

    package func setFrozen(_ isFrozen: Bool, _ stream: SimulatedStream) {
        server.setFrozen(isFrozen, stream: stream.number)
    }

    // MARK: - Time

    /// Handles one event, and returns false if none is due.
    @discardableResult
    package func turn() -> Bool {
        // Ends the turn in which a life has changed the bus.
        loop.endTurn()
        return loop.turn(&random)
    }

    /// Handles all events that are due now; throws if there are always more.
    package func rest() throws(Broken) {
        for _ in 0..<Self.mostTurns where !turn() { return }
        throw Broken("the loop is still busy after \(Self.mostTurns) iterations at one moment")
    }

    /// Lets time pass as on a running machine: events are handled when they become due.
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

/// A violation of a guarantee, found by a simulation or a fuzzer.
package struct Broken: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
