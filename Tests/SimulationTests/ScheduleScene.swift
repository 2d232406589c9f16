// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleHost
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import ReveilleWatchers
import ReveilleWire
import Testing
import Varlink

/// A bus with a schedule in simulated time, with files in a directory of its own.
final class ScheduleScene {
    static let name = "org.example.reminder"
    static let minute: Int64 = 60_000_000

    let directory: TemporaryDirectory
    let zones = SceneZones()
    let launcher = SceneLauncher()
    let scene: BusScene

    var path: String { directory.path + "/state/schedule" }
    var now: Int64 { scene.loop.wallClock }

    init(
        publish: String = "{}", owner: UInt32 = 1_000, entries: Int = 1_024, wake: String = "[]",
        in directory: TemporaryDirectory? = nil,
        stateDisk: Disk = Disk(), scheduleDisk: Disk = Disk()
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        let (zones, launcher) = (zones, launcher)
        scene = try BusScene(
            publish: publish, owner: owner, state: StateFile(path: directory.path + "/state.json", on: stateDisk),
            logFile: LogFile(path: directory.path + "/state.json.log", on: stateDisk), entries: entries, wake: wake
        ) { _ in
            ScheduleServices(
                file: ScheduleFile(path: directory.path + "/state/schedule", on: scheduleDisk), zones: zones,
                launcher: launcher,
                address: "unix:/scene")
        }
    }

    /// The connections for calls, by user.
    private var peers: [UInt32: ScenePeer] = [:]

    private func peer(_ uid: UInt32) -> ScenePeer {
        let peer = peers[uid] ?? scene.connect(uid: uid)
        peers[uid] = peer
        return peer
    }

    @discardableResult
    func add(_ fields: JSONObject, id: String = "one", uid: UInt32 = 1_000) throws -> Reply {
        var entry = fields
        entry["id"] = .string(id)
        if entry["aspect"] == nil { entry["aspect"] = .string(Self.name) }
        return try peer(uid).call("org.reveille.Schedule.Add", ["entry": .object(entry)])
    }

    func cancel(_ id: String? = nil, uid: UInt32 = 1_000) throws -> Reply {
        var parameters: JSONObject = [:]
        parameters["id"] = id.map { .string($0) }
        return try peer(uid).call("org.reveille.Schedule.Cancel", parameters)
    }

    func list(uid: UInt32 = 1_000) throws -> [ScheduleListing] {
        let reply = try peer(uid).call("org.reveille.Schedule.List")
        return try [ScheduleListing](reply.parameters, noting: UnknownWords())
    }

    /// Lets time pass on a running machine.
    func pass(minutes: Int64) { scene.pass(.seconds(minutes * 60), step: .seconds(1)) }

    /// Lets the machine sleep, and resume.
    func suspend(minutes: Int64) {
        scene.loop.advance(.seconds(minutes * 60))
        scene.loop.wallClock += 0
        scene.turn()
    }

    func setClock(to time: Int64) {
        scene.loop.wallClock = time
        scene.turn()
    }

    /// Subscribes to the usual name.
    func subscribe(_ parameters: JSONObject = [:]) throws -> (peer: ScenePeer, start: SubscribeReply) {
        let peer = scene.connect()
        return (peer, try peer.subscribe(to: [Self.name], parameters))
    }

    func resume(_ instance: String, from generation: Int) throws -> (peer: ScenePeer, start: SubscribeReply) {
        let position: JSON = ["aspect": .string(Self.name), "generation": .integer(Int64(generation))]
        return try subscribe(["instance": .string(instance), "resume": [position]])
    }

    /// The parameters for the subscription of a launched program, by default the last one.
    func launchParameters(_ launch: Int? = nil) throws -> JSONObject {
        let launched = launcher.launches[launch ?? launcher.launches.count - 1]
        let text = try #require(launched.additions["REVEILLE_LAUNCH"])
        return try #require(try JSON.parse(Array(text.utf8)).objectValue)
    }

    func events(of peer: ScenePeer) throws -> [Event] {
        var events: [Event] = []
        while let reply = try peer.next() { events += try [Event](reply.parameters, noting: UnknownWords()) }
        return events
    }

    func restart(isClean: Bool = false) throws {
        peers = [:]
        launcher.forget()
        try scene.restart(isClean: isClean)
    }

    /// Restarts the machine, which loses the state of the bus, after a time.
    func reboot(after minutes: Int64) throws {
        peers = [:]
        scene.bus.stop()
        unlink(directory.path + "/state.json")
        scene.loop.advance(.seconds(minutes * 60))
        try scene.restart(isClean: false)
    }
}

/// Time zones with rules from files of this machine.
final class SceneZones: ZoneSource {
    var changed: (String) -> Void = { _ in }
    var local = "Europe/Berlin" {
        didSet { changed(ScheduleEntry.localZone) }
    }
    private(set) var watched: Set<String> = []

    func rules(of name: String) throws(ZoneError) -> TimeZoneRules {
        let zone = name == ScheduleEntry.localZone ? local : name
        guard case .bytes(let bytes) = FileContents.read("/usr/share/zoneinfo/" + zone, limit: 1 << 20) else {
            throw ZoneError("no such zone")
        }
        watched.insert(name)
        do {
            return try TimeZoneRules(tzif: bytes)
        } catch {
            throw ZoneError("\(error)")
        }
    }

    func wait(for name: String) {}

    func stop() { watched = [] }
}

/// A launcher that records what it is asked to start.
///
/// It outlasts the bus, as the machine does.
final class SceneLauncher: ProgramLauncher {
    var ended: ([String], String) -> Void = { _, _ in }
    var result = Launch.started(nil)
    private(set) var launches: [(command: [String], additions: [String: String])] = []
    private(set) var running: Set<ProcessIdentity> = []
    /// The children that the current bus knows.
    private var known: [[String]: ProcessIdentity] = [:]

    /// Makes each launched program a child that runs until ``endAll()``.
    var startsChildren = false

    func launch(
        _ arguments: [String], adding additions: [String: String], then completion: @escaping (Launch) -> Void
    ) {
        guard known[arguments] == nil else { return completion(.alreadyRunning) }
        launches.append((arguments, additions))
        guard startsChildren else { return completion(result) }
        let process = ProcessIdentity(pid: Int32(100 + launches.count), start: 1, boot: "boot")
        running.insert(process)
        known[arguments] = process
        completion(.started(process))
    }

    func adopt(_ process: ProcessIdentity, running arguments: [String]) throws(SystemError) -> Bool {
        guard canFollow else { throw SystemError("pidfd_open", code: EMFILE) }
        guard running.contains(process) else { return false }
        known[arguments] = process
        return true
    }

    /// Whether children of an earlier bus can be followed.
    var canFollow = true

    func endAll() {
        running = []
        for command in known.keys {
            known[command] = nil
            ended(command, "exited with code 0")
        }
    }

    /// Forgets the children, as a bus that is killed does.
    func forget() { known = [:] }
}
