// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A message bus that is the session's and the system's, a bus, and `reveille-dbus` between them.
final class DBusScene {
    static let program = ChildProcess.sibling("reveille-dbus")
    private static let daemon = "/usr/bin/dbus-daemon"
    static var isThere: Bool { access(daemon, X_OK) == 0 }

    let bus: BusProcess
    let address: String
    let environment: [String: String]
    private(set) var satellite: RunningProgram
    private var process: RunningProgram
    private var services: [RunningProgram] = []

    /// Starts them; the message bus of the session may be another one, which exists.
    init(_ configuration: String = "{}", session: String? = nil) throws {
        bus = try BusProcess()
        let path = bus.directory.path
        address = "unix:path=\(path)/dbus"
        environment = [
            "REVEILLE_ADDRESS": bus.address, "DBUS_SESSION_BUS_ADDRESS": session ?? address,
            "DBUS_SYSTEM_BUS_ADDRESS": address,
        ]
        try bus.directory.write("#!/bin/sh\n>\(path)/started\n", to: "start")
        chmod(path + "/start", 0o755)
        try bus.directory.write(
            "[D-BUS Service]\nName=org.freedesktop.NetworkManager\nExec=\(path)/start\n", to: "services/nm.service")
        try bus.directory.write(
            """
            <busconfig>
              <type>session</type><listen>\(address)</listen><servicedir>\(path)/services</servicedir>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
            </busconfig>
            """, to: "dbus.conf")
        try bus.directory.write(configuration, to: "dbus.json5")
        process = try Self.startDaemon(in: bus)
        satellite = try RunningProgram(
            ["--config", path + "/dbus.json5"], program: Self.program, in: bus.directory, environment: environment)
    }

    private static func startDaemon(in bus: BusProcess) throws -> RunningProgram {
        unlink(bus.directory.path + "/dbus")
        let daemon = try RunningProgram(
            ["--nofork", "--nopidfile", "--config-file=\(bus.directory.path)/dbus.conf"], program: Self.daemon,
            in: bus.directory)
        // The socket's file is there before it accepts connections.
        try wait(for: "D-Bus: \(daemon.errors)") { (try? RawClient(bus.directory.path + "/dbus")) != nil }
        return daemon
    }

    func restartDaemon() throws {
        process.stop()
        process = try Self.startDaemon(in: bus)
    }

    deinit {
        satellite.stop()
        for service in services.reversed() { service.stop() }
        process.stop()
    }

    /// Starts a program, and waits until it has a name on the message bus.
    func start(_ name: String, _ command: [String], _ variables: [String: String]) throws {
        let service = try RunningProgram(
            Array(command.dropFirst()), program: command[0], in: bus.directory,
            environment: variables.merging(environment) { $1 })
        services.append(service)
        try wait(for: "\(name): \(service.output) \(service.errors)") {
            try run(["busctl", "--auto-start=no", "--user", "call", name, "/", "org.freedesktop.DBus.Peer", "Ping"])
                .code == 0
        }
    }

    func run(_ command: [String], _ variables: [String: String] = [:]) throws -> ProgramRun {
        try ProgramRun(
            Array(command.dropFirst()), program: command[0], in: bus.directory,
            environment: variables.merging(environment) { $1 })
    }

    @discardableResult
    func busctl(_ arguments: [String]) throws -> String {
        let run = try run(["busctl", "--user"] + arguments)
        guard run.code == 0 else { throw Trouble("busctl \(arguments): \(run.errors)") }
        return run.output
    }

    @discardableResult
    func busctl(_ arguments: String...) throws -> String { try busctl(arguments) }

    /// Whether the program under test is connected to a message bus.
    var isFollowing: Bool {
        get throws {
            try busctl("list", "--unique", "--no-legend", "--no-pager").contains(" \(satellite.process.pid) ")
        }
    }

    var wasServiceStarted: Bool { access(bus.directory.path + "/started", F_OK) == 0 }

    func service() async throws -> DBusService { try await DBusService(address: address) }

    func subscribe(_ name: String, isInBackground: Bool = false) throws -> Subscriber {
        try bus.subscribe(#"{"aspects":["\#(name)"],"state":"\#(isInBackground ? "background" : "foreground")"}"#)
    }

    /// All match rules of the message bus.
    var matchRules: String {
        get throws {
            try busctl(
                "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats",
                "GetAllMatchRules")
        }
    }
}

extension Subscriber {
    /// Reads events until a published name has the wanted value; `nil` stands for none.
    @discardableResult
    func waitForValue(_ name: String, until isWanted: (JSONObject?) -> Bool) throws -> JSONObject {
        while true {
            for event in try next() where event.aspect == name && isWanted(event["value"]?.objectValue) { return event }
        }
    }
}
