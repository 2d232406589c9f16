// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import Varlink

/// A bus in simulated time, and peers of any user that call it.
final class BusScene {
    private(set) var loop = SimulatedLoop()
    let reality = Reality()
    let log = LogLines()
    private(set) var bus: SimulatedBus
    /// The programs of the machine, which stay over a restart of the bus.
    let programs: SimulatedPrograms
    private let configuration: Configuration
    private let owner: UInt32
    private let isSystemWide: Bool
    private let state: StateFile?
    /// The number of starts, from which each bus has other random numbers.
    private var starts: UInt64 = 1
    /// Returns the facilities of the schedule, for each start.
    private let schedule: () -> ScheduleServices

    /// Creates a bus that watches a simulated locale and battery.
    ///
    /// - Parameters:
    ///   - limits: The configuration's `bus` in JSON5.
    ///   - publish: The configuration's `publish` in JSON5.
    ///   - lifecycle: The configuration's `lifecycle` in JSON5.
    ///   - owner: The user whom the bus belongs to.
    ///   - isSystemWide: Whether the bus serves all users, even if it is not root's.
    ///   - state: The file of the saved state.
    ///   - entries: The configuration's `schedule.entries`.
    ///   - schedule: Returns the facilities of the schedule, for each start.
    /// - Throws: `ConfigurationError` if the configuration is invalid.
    init(
        limits: String = "{}", publish: String = "{}", lifecycle: String = "{}", owner: UInt32 = geteuid(),
        isSystemWide: Bool = false, state: StateFile? = nil, entries: Int = 1_024,
        schedule: @escaping () -> ScheduleServices = { ScheduleServices() }
    ) throws {
        let text =
            "{ bus: \(limits), publish: \(publish), lifecycle: \(lifecycle), schedule: { entries: \(entries) } }"
        configuration = try Configuration(parsing: Array(text.utf8))
        self.schedule = schedule
        self.owner = owner
        self.isSystemWide = isSystemWide
        self.state = state
        programs = SimulatedPrograms(loop: loop)
        bus = try Self.start(
            configuration, schedule(), owner, isSystemWide, state, reality, loop, programs, log, seed: starts)
    }

    private static func start(
        _ configuration: Configuration, _ schedule: ScheduleServices, _ owner: UInt32, _ isSystemWide: Bool,
        _ state: StateFile?, _ reality: Reality, _ loop: SimulatedLoop, _ programs: SimulatedPrograms, _ log: LogLines,
        seed: UInt64
    ) throws -> SimulatedBus {
        try SimulatedBus(
            reality: reality, loop: loop, configuration: configuration, schedule: schedule, owner: owner,
            isSystemWide: isSystemWide, state: state, programs: programs, random: SplitMix64(seed: seed),
            logger: Logger(label: "scene") { _ in LineHandler(log) })
    }

    /// Stops or kills the bus, and starts another one with the same state file.
    func restart(isClean: Bool) throws {
        if isClean { bus.stop() }
        starts += 1
        let time = loop.wallClock
        loop = SimulatedLoop(bootClock: loop.bootClock)
        loop.wallClock = time
        programs.loop = loop
        bus = try Self.start(
            configuration, schedule(), owner, isSystemWide, state, reality, loop, programs, log, seed: starts)
    }

    /// Creates a connection of a user's process, which may leave some bytes unread.
    func connect(uid: UInt32 = 1_000, pid: Int32 = 7, room: Int = 1 << 20) -> ScenePeer {
        ScenePeer(bus.connect(UnixStream.Peer(pid: pid, uid: uid), room: room), in: self)
    }

    /// Changes the state of an aspect, and notifies its watcher.
    func change(_ aspect: BuiltInAspect) {
        reality.change(aspect)
        bus.look(at: aspect)
    }

    /// Handles all events that are due.
    func turn() {
        while bus.turn() {}
    }

    /// Advances the time in steps, and handles events when they become due.
    func pass(_ duration: Duration, step: Duration = .milliseconds(10)) {
        var left = duration
        while left > .zero {
            loop.advance(min(step, left))
            left -= step
            turn()
        }
    }
}

/// A peer of a ``BusScene``.
final class ScenePeer {
    let stream: SimulatedStream
    private let scene: BusScene
    private var received: [UInt8] = []

    init(_ stream: SimulatedStream, in scene: BusScene) {
        self.stream = stream
        self.scene = scene
    }

    /// Sends a call without waiting.
    func send(_ method: String, _ parameters: JSONObject = [:], more: Bool = false, oneway: Bool = false) {
        let name = method.contains(".") ? method : "org.reveille.Bus." + method
        let call = Call(method: name, parameters: parameters, mode: more ? .more : oneway ? .oneway : .plain)
        stream.send(call.encoded())
    }

    /// Returns the next reply, if there is one, after handling all events that are due.
    func next() throws -> Reply? {
        scene.turn()
        received += stream.receive(.max)
        guard let end = received.firstIndex(of: 0) else { return nil }
        defer { received.removeSubrange(...end) }
        return try Reply(parsing: Array(received[..<end]))
    }

    /// Sends a call, and waits in simulated time for the reply.
    @discardableResult
    func call(_ method: String, _ parameters: JSONObject = [:], more: Bool = false) throws -> Reply {
        send(method, parameters, more: more)
        guard let reply = try reply() else { throw Broken("\(method) was not answered") }
        return reply
    }

    /// Waits in simulated time for the next reply; returns `nil` if there is none within a second.
    func reply() throws -> Reply? {
        for _ in 0..<1_000 {
            if let reply = try next() { return reply }
            scene.loop.advance(.milliseconds(1))
        }
        return nil
    }
}

/// The logged lines.
final class LogLines: Sendable {
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

private struct LineHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    private let lines: LogLines

    init(_ lines: LogLines) {
        self.lines = lines
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append("\(event.message)")
    }
}
