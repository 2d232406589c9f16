// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing

/// A message bus with a login manager, whose properties a test sets.
final class LoginScene {
    private static let daemon = "/usr/bin/dbus-daemon"
    static var isThere: Bool { access(daemon, X_OK) == 0 }
    /// The variable that leads a program to the message bus.
    let environment: [String: String]
    let manager: LoginService
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts the message bus; the manager is not on it yet, and the bus could start one that makes the file `started`.
    init() async throws {
        directory = try TemporaryDirectory()
        let path = directory.path
        try directory.write("#!/bin/sh\n>\(path)/started\n", to: "start")
        chmod(path + "/start", 0o755)
        try directory.write(
            "[D-BUS Service]\nName=\(LoginService.name)\nExec=\(path)/start\n", to: "services/login1.service")
        try directory.write(
            """
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(path)/bus</listen>
              <servicedir>\(path)/services</servicedir>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
            </busconfig>
            """, to: "bus.conf")
        let ready = try Pipe()
        process = try ChildProcess(
            [Self.daemon, "--config-file=\(path)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"],
            descriptors: [STDOUT_FILENO: ready.writable])
        ready.closeWritingEnd()
        #expect(ready.waitForWake())
        environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/bus"]
        manager = try await LoginService(address: "unix:path=\(path)/bus")
    }

    deinit {
        // Its object on the message bus refers to it.
        Task { [manager] in await manager.leave() }
    }

    var wasStartedByTheBus: Bool { access(directory.path + "/started", F_OK) == 0 }

    /// The number of connections to the message bus, the manager's and the question's own included.
    var connections: Int {
        get throws {
            let run = try ProgramRun(
                ["--system", "list", "--unique", "--no-legend", "--no-pager"], program: "busctl", in: directory,
                environment: environment)
            return run.output.split(separator: "\n").filter { $0.hasPrefix(":") }.count
        }
    }
}

actor LoginService {
    static let name = "org.freedesktop.login1"

    private let thread: LoopThread
    private let address: String
    private var connection: DBusConnection?
    private var object: DBusHandler?
    private var values: [String: DBusValue] = [:]
    private(set) var questions: [String] = []
    private var isSilent = false
    /// The calls that wait while the manager is stopped.
    private(set) var held: [DBusMessage]?
    /// The calls that wait; `nil` for all.
    private var heldMember: String?
    /// Why the manager refuses locks, if it does.
    private var refusal: DBusError?
    /// The manager's ends of the locks that it has given.
    private var locks: [UnixStream] = []
    private(set) var lockRequests: [[String]] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(address: String) async throws {
        thread = try LoopThread()
        self.address = address
    }

    // The loop and what uses it are released on its thread.
    isolated deinit {}

    /// Appears on the message bus, with properties.
    func appear(_ values: [String: DBusValue]) async throws {
        self.values = values
        let connection = try DBusConnection(to: .address(address), loop: thread.loop)
        self.connection = connection
        object = try connection.serve("/org/freedesktop/login1") { self.answer($0) }
        // The message bus may not have noticed yet that a former owner has gone.
        let deadline = Deadline(seconds: 60)
        while await !owns(connection) {
            guard !deadline.hasPassed else { throw Trouble("the message bus refuses the name") }
            backOff()
        }
    }

    private func owns(_ connection: DBusConnection) async -> Bool {
        await withCheckedContinuation { done in
            do {
                try connection.request(name: Self.name, timeout: .seconds(10)) { outcome in
                    done.resume(returning: (try? outcome.get()) == .acquired)
                }
            } catch {
                done.resume(returning: false)
            }
        }
    }

    func set(_ name: String, _ value: DBusValue?) { values[name] = value }

    /// Leaves questions without an answer from now on.
    func fallSilent() { isSilent = true }

    /// Stops; calls wait, or those of one method.
    func pause(_ member: String? = nil) { (held, heldMember) = ([], member) }

    /// Goes on, and answers the calls that waited.
    func goOn() {
        let calls = held ?? []
        held = nil
        for call in calls { answer(call) }
    }

    var isHoldingCalls: Bool { held?.isEmpty == false }

    func leave() {
        object = nil
        connection = nil
    }

    func refuseLocks(because reason: String, as name: String = DBusError.accessDenied) {
        refusal = DBusError(name: name, message: reason)
    }

    /// The number of locks that are not closed.
    var openLocks: Int {
        locks.count { lock in
            var byte: UInt8 = 0
            return recv(lock.number, &byte, 1, Int32(MSG_DONTWAIT)) != 0
        }
    }

    func announce(_ isPreparing: Bool) throws {
        values["PreparingForSleep"] = .boolean(isPreparing)
        try connection?.signal(
            "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(isPreparing)])
    }

    private func lock(_ call: DBusMessage) throws {
        lockRequests.append((0..<4).map { _ in call.string() ?? "" })
        if let refusal { return try connection?.answer(call, with: refusal) ?? () }
        let (ours, theirs) = try UnixStream.pair()
        try connection?.answer(call, with: [.descriptor(theirs.number)])
        locks.append(ours)
        withExtendedLifetime(theirs) {}
    }

    private func answer(_ call: DBusMessage) {
        if held != nil, heldMember == nil || call.member == heldMember { return held?.append(call) ?? () }
        if call.member == "Inhibit" { return (try? lock(call)) ?? () }
        guard !isSilent, call.member == "Get", call.string() != nil, let name = call.string() else { return }
        questions.append(name)
        if let value = values[name] {
            try? connection?.answer(call, with: [.variant(value)])
        } else {
            let error = DBusError(name: "org.freedesktop.DBus.Error.UnknownProperty", message: "no property \(name)")
            try? connection?.answer(call, with: error)
        }
    }
}
