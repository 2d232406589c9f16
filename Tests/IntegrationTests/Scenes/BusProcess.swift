// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A real `reveille serve` with its own files and socket.
final class BusProcess {
    let directory: TemporaryDirectory
    let socket: String
    private(set) var process: ChildProcess
    private let arguments: [String]
    private let environment: [String: String]

    /// The program under test, built beside the test bundle.
    static let program = ChildProcess.sibling("reveille")

    /// Starts a bus with additional variables, and waits until it accepts connections.
    ///
    /// It sees the devices and files of the phone. The launcher is a program that executes the bus, with its arguments.
    init(
        configuration: String = "{}", phone: SyntheticPhone? = nil, environment: [String: String] = [:],
        launcher: [String] = []
    ) throws {
        directory = try TemporaryDirectory()
        socket = directory.path + "/reveille/org.reveille.Bus"
        try directory.write("", to: "root/home/u/.config/.keep")
        try directory.write("", to: "devices/sys/class/.keep")
        // The cgroups are the real ones.
        let system = (phone?.testbed.root ?? directory.path + "/devices") + "/sys/fs"
        mkdir(system, 0o755)
        symlink("/sys/fs/cgroup", system + "/cgroup")
        try directory.write(configuration, to: "config.json5")
        arguments =
            launcher + [
                Self.program, "serve", "--address", "unix:" + socket, "--root",
                phone?.files ?? directory.path + "/root",
                "--config", directory.path + "/config.json5",
            ]
        var all = ["HOME": "/home/u", "PATH": Environment.all["PATH"] ?? ""]
        all.merge(phone?.testbed.environment ?? Testbed.environment(root: directory.path + "/devices")) { $1 }
        all["HOME"] = phone?.home ?? "/home/u"
        for name in all.keys where name.hasPrefix("LC_") || name.hasPrefix("XDG_") || name == "LANG" { all[name] = nil }
        all["STATE_DIRECTORY"] = directory.path + "/stored"
        // The message bus of this machine may have a login manager.
        all["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(directory.path)/no-message-bus"
        all.merge(environment) { $1 }
        self.environment = all
        process = try Self.start(arguments, all, in: directory)
        try waitUntilItAccepts()
    }

    /// Starts a phone's bus that samples sensors twenty times a second and has no settling delays.
    convenience init(on phone: SyntheticPhone, environment: [String: String] = [:]) throws {
        let configuration = """
            { battery: { levelInterval: 0, settleInterval: 10 }, proximity: { sampleInterval: 0.05 },
              orientation: { sampleInterval: 0.05, settle: 0 }, watch: [] }
            """
        try self.init(configuration: configuration, phone: phone, environment: environment)
    }

    private static func start(
        _ arguments: [String], _ environment: [String: String], in directory: TemporaryDirectory
    ) throws -> ChildProcess {
        let log = try directory.open("log")
        defer { close(log) }
        return try ChildProcess(arguments, environment: environment, descriptors: [1: log, 2: log])
    }

    func restart() throws {
        process.wait()
        process = try Self.start(arguments, environment, in: directory)
        try waitUntilItAccepts()
    }

    /// Stops the bus with SIGTERM and returns its exit code.
    func stop() -> Int32 {
        process.signal(SIGTERM)
        return process.wait()
    }

    /// Kills the bus as a crash would.
    func kill() {
        process.signal(SIGKILL)
        process.wait()
    }

    /// Kills the bus once it has saved its state, and starts it again.
    func crash() throws {
        try waitUntilSaved()
        kill()
        try restart()
    }

    var log: String { directory.read("log") }
    var address: String { "unix:" + socket }
    private var stateFile: String { socket + ".state.json" }

    /// Waits for the state file: an outdated one is removed.
    func waitUntilSaved() throws {
        try wait(for: "the state to be saved") { access(stateFile, F_OK) == 0 }
    }

    func run(_ arguments: [String], program: String = BusProcess.program) throws -> ProgramRun {
        try ProgramRun(arguments, program: program, in: directory, environment: ["REVEILLE_ADDRESS": address])
    }

    /// Runs a shell command line as a client of this bus; `$R` is the program.
    func shell(_ line: String) throws -> ProgramRun {
        try ProgramRun(
            ["-c", line], program: "sh", in: directory, environment: ["R": Self.program, "REVEILLE_ADDRESS": address])
    }

    func client() throws -> RawClient { try RawClient(socket) }

    /// Subscribes and reads the first reply.
    func subscribe(_ parameters: String = "{}") throws -> Subscriber { try Subscriber(self, parameters) }

    func description(of aspect: String) throws -> JSONObject {
        let aspects = try client().call("DescribeAspects").parameters.objects("aspects")
        return try #require(aspects.first { $0.aspect == aspect })
    }

    func waitForRest(of aspect: String) throws {
        try wait(for: "\(aspect) to be unwatched") { try description(of: aspect)["monitored"] == false }
    }

    /// Returns the targets of the bus's file descriptors: a path, or a type and a number.
    func descriptors() throws -> [String] { try ProcessDescriptors.targets(of: process.pid) }

    /// Resident memory in kilobytes, without the pages of files, which come and go with the kernel's caches.
    var residentMemory: Int {
        let fields = (try? String(contentsOfFile: "/proc/\(process.pid)/statm"))?.split(separator: " ") ?? []
        let pages = fields.compactMap { Int($0) }
        return pages.count > 2 ? (pages[1] - pages[2]) * Int(getpagesize()) / 1_024 : 0
    }

    private func waitUntilItAccepts() throws {
        try wait(for: "the bus to accept connections: \(log)") { (try? client()) != nil }
    }
}

/// An error that prevents a test from continuing.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The time by which a condition must be met.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(seconds: Int) {
        end = ContinuousClock.now + .seconds(seconds)
    }

    var hasPassed: Bool { ContinuousClock.now > end }

    var millisecondsLeft: Int32 { Int32(max(0, (end - ContinuousClock.now) / .milliseconds(1))) }
}

/// Waits until a condition is met.
func wait(for what: @autoclosure () -> String, seconds: Int = 60, until condition: () throws -> Bool) throws {
    let deadline = Deadline(seconds: seconds)
    var milliseconds: Int32 = 1
    while try !condition() {
        guard !deadline.hasPassed else { throw Trouble("waited for \(what())") }
        // What takes long is checked less often, and leaves the processor to others.
        backOff(milliseconds)
        milliseconds = min(2 * milliseconds, 20)
    }
}

/// Leaves the processor to others between two checks of a condition without a notification.
func backOff(_ milliseconds: Int32 = 2) {
    poll(nil, 0, milliseconds)
}

extension String {
    init(contentsOfFile path: String) throws {
        guard case .bytes(let bytes) = FileContents.read(path, limit: .max) else { throw Trouble("read \(path)") }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
