// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

final class SensorProxyScene {
    static let program = ChildProcess.sibling("reveille-sensor-proxy")
    private static let packages = Package.root + "/.build-sensor-proxy/usr"
    static let monitor = packages + "/bin/monitor-sensor"
    /// Whether D-Bus's daemon and the clients are installed.
    static let isThere: Bool = {
        guard access("/usr/bin/dbus-daemon", X_OK) == 0, access(monitor, X_OK) == 0,
            let probe = try? ChildProcess(["/usr/bin/python3", "-c", "import gi"])
        else { return false }
        return probe.wait() == 0
    }()
    /// Whether a missing D-Bus is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }

    let phone: SyntheticPhone
    let bus: BusProcess
    let environment: [String: String]
    private let daemon: RunningProgram
    private(set) var proxy: RunningProgram

    /// Starts all of them, and waits until the name is on D-Bus.
    init(_ phone: SyntheticPhone? = nil) throws {
        let phone = try phone ?? SyntheticPhone()
        self.phone = phone
        bus = try BusProcess(on: phone)
        let socket = bus.directory.path + "/dbus"
        environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + socket, "REVEILLE_ADDRESS": bus.address]
        try bus.directory.write(Self.configuration(socket: socket), to: "dbus.conf")
        daemon = try RunningProgram(
            ["--nofork", "--nopidfile", "--config-file=\(bus.directory.path)/dbus.conf"],
            program: "/usr/bin/dbus-daemon",
            in: bus.directory)
        chmod(bus.directory.path, 0o755)
        let log = daemon
        try wait(for: "D-Bus: \(log.errors)") { access(socket, F_OK) == 0 }
        proxy = try RunningProgram([], program: Self.program, in: bus.directory, environment: environment)
        try waitForName()
    }

    /// A D-Bus with the rules of the system's, and the policy of the package for this user in place of the service's.
    private static func configuration(socket: String) throws -> String {
        let policy = try Package.text("Scripts/packaging/debian/dbus/net.hadess.SensorProxy.conf")
        let rules =
            policy.replacing("user=\"reveille-sensor-proxy\"", with: "user=\"\(geteuid())\"")
            .split(separator: "<busconfig>", maxSplits: 1).last ?? ""
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>unix:path=\(socket)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/>
                <deny own="*"/>
                <deny send_type="method_call"/>
                <allow send_type="signal"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow receive_type="method_call"/>
                <allow receive_type="method_return"/>
                <allow receive_type="error"/>
                <allow receive_type="signal"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
              </policy>
              <limit name="max_connections_per_user">2000</limit>
            \(rules)
            """
    }

    deinit {
        proxy.stop()
        daemon.stop()
    }

    private func waitForName() throws {
        try wait(for: "the name: \(proxy.errors)") {
            try run(["busctl", "--system", "status", SensorProxyClient.name]).code == 0
        }
    }

    func startAnother(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> RunningProgram {
        try RunningProgram(
            arguments, program: Self.program, in: bus.directory, environment: environment.merging(variables) { $1 })
    }

    func run(_ command: [String]) throws -> ProgramRun {
        try ProgramRun(Array(command.dropFirst()), program: command[0], in: bus.directory, environment: environment)
    }

    /// Runs a program as a user without privileges until it exits; D-Bus refuses users without an entry in the database.
    func runAsOther(_ command: [String]) throws -> ProgramRun {
        try run(["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"] + command)
    }

    func copyOfProgram() throws -> String {
        let path = bus.directory.path + "/proxy"
        try ChildProcess(["cp", Self.program, path]).wait()
        chmod(path, 0o755)
        return path
    }

    func startMonitor() throws -> RunningProgram {
        // It writes through a buffer unless it writes to a terminal.
        try RunningProgram(["-oL", Self.monitor], program: "stdbuf", in: bus.directory, environment: environment)
    }

    /// The aspects to which the proxy subscribes.
    var followed: [String] {
        get throws {
            try bus.client().subscriptions().filter { $0.integer("pid") == Int(proxy.process.pid) }
                .flatMap { $0["aspects"]?.arrayValue?.compactMap(\.stringValue) ?? [] }.sorted()
        }
    }

    func waitUntilFollowed(_ aspects: [String]) throws {
        try wait(for: "subscriptions to \(aspects)") { try followed == aspects }
    }
}
