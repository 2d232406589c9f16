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
    private let machine: SimulatedMachine
    /// The number of starts, from which each bus has other random numbers.
    private var starts: UInt64 = 1
    private let start: (SimulatedLoop, _ seed: UInt64) throws -> SimulatedBus

    /// Creates a bus that watches a simulated locale and battery, with parts of its configuration in JSON5, and with the
    /// facilities of the schedule for each start.
    init(
        limits: String = "{}", publish: String = "{}", lifecycle: String = "{}", owner: UInt32 = geteuid(),
        isSystemWide: Bool = false, state: StateFile? = nil, logFile: @autoclosure @escaping () -> LogFile? = nil,
        watch: String = "[]", entries: Int = 1_024,
        wake: String = "[]",
        schedule: @escaping (SimulatedLoop) -> ScheduleServices = { _ in ScheduleServices() }
    ) throws {
        let text = """
            { watch: \(watch), bus: \(limits), publish: \(publish), lifecycle: \(lifecycle),
              schedule: { entries: \(entries), wake: \(wake) } }
            """
        let configuration = try Configuration(parsing: Array(text.utf8))
        programs = SimulatedPrograms(loop: loop)
        machine = SimulatedMachine(loop: loop)
        start = { [reality, log, programs, machine, configuration] loop, seed in
            try SimulatedBus(
                reality: reality, loop: loop, configuration: configuration, schedule: schedule(loop), owner: owner,
                isSystemWide: isSystemWide, state: state, log: logFile(), programs: programs, machine: machine,
                random: SplitMix64(seed: seed),
                logger: Logger(label: "scene") { _ in log })
        }
        bus = try start(loop, starts)
    }

    /// Stops or kills the bus, and starts another one with the same state file.
    func restart(isClean: Bool) throws {
        if isClean { bus.stop() }
        starts += 1
        let time = loop.wallClock
        let diskTime = loop.diskTime
        loop = SimulatedLoop(bootClock: loop.bootClock)
        loop.diskTime = diskTime
        loop.wallClock = time
        programs.loop = loop
        bus = try start(loop, starts)
    }

    /// Creates a connection of a user's process, which may leave some bytes unread.
    func connect(uid: UInt32 = 1_000, pid: Int32 = 7, room: Int = 1 << 20) -> ScenePeer {
        ScenePeer(bus.connect(UnixStream.Peer(pid: pid, uid: uid), room: room), in: self)
    }

    func change(_ aspect: BuiltInAspect) {
        reality.change(aspect)
        bus.look(at: aspect)
    }

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

    /// Returns the next reply, if there is one in at most a number of bytes, after handling all events that are due.
    func next(_ most: Int = .max) throws -> Reply? {
        scene.turn()
        received += stream.receive(most)
        guard let end = received.firstIndex(of: 0) else { return nil }
        defer { received.removeSubrange(...end) }
        return try Reply(parsing: Array(received[..<end]))
    }

    /// Returns the next reply that has arrived, without handling events.
    func nextAvailable() throws -> Reply? {
        received += stream.receive(.max)
        guard let end = received.firstIndex(of: 0) else { return nil }
        return try Reply(parsing: Array(received[..<end]))
    }

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

/// The lines of a log, which are the same for each copy.
struct LogLines: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message)") }
    }
}
