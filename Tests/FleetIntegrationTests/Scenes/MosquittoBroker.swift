// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleSystem
import ReveilleTesting

/// A real mosquitto with its own files and a socket, or a port on loopback.
final class MosquittoBroker {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    private static let packages = root + "/.build-mosquitto"
    private static let program = packages + "/usr/sbin/mosquitto"
    static var isThere: Bool { access(program, X_OK) == 0 }
    /// Whether a missing mosquitto is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }
    static let isAvailable = isThere || isRequired

    enum Listener {
        case unix
        case tcp
        /// A port on loopback with the certificate of a broker. If it requires certificates of clients, their common
        /// names are the users of the topic rules.
        case tls(TLSFiles, requiresCertificate: Bool)
        /// The packaged example on loopback: a port for devices, and one for readers with another authority.
        case example(ExampleFiles)
    }

    /// The number of ports to try, in case that others use them at the same moment.
    private static let attempts = 10

    let directory: TemporaryDirectory
    private let listener: Listener
    private let lines: [String]
    private(set) var port: UInt16 = 0
    private(set) var readersPort: UInt16 = 0
    private(set) var process: ChildProcess

    /// Starts a broker and waits until it accepts connections; the memory of a persistent one survives a kill.
    init(_ listener: Listener = .unix, rules: String? = nil, isPersistent: Bool = false, lines: [String] = []) throws {
        directory = try TemporaryDirectory(forSocket: "/broker")
        self.listener = listener
        var lines = lines
        if let rules {
            try directory.write(rules, to: "rules")
            lines.append("acl_file \(directory.path)/rules")
        }
        if isPersistent {
            // Saved after each change, since a kill saves nothing.
            lines += ["persistence true", "persistence_location \(directory.path)/"]
            lines += ["autosave_on_changes true", "autosave_interval 1"]
        }
        self.lines = lines
        for _ in 1..<Self.attempts {
            port = try Loopback.freePort()
            readersPort = try Loopback.freePort()
            if let process = try Self.start(directory, listener, (port, readersPort), lines) {
                self.process = process
                return
            }
        }
        throw Trouble("mosquitto does not start: \(directory.read("log"))")
    }

    deinit {
        // It would write into the directory that is being removed.
        kill()
    }

    func address(_ tls: TLSFiles? = nil, host: String = "127.0.0.1") -> FleetBroker {
        switch listener {
        case .unix: FleetBroker(.unix(path: directory.path + "/broker"))
        case .tcp, .tls, .example: FleetBroker(port: port, tls, host: host)
        }
    }

    /// The socket of the example, which has no rules.
    var ungoverned: FleetBroker { FleetBroker(.unix(path: directory.path + "/broker")) }

    func readersAddress(_ tls: TLSFiles) -> FleetBroker {
        FleetBroker(port: readersPort, tls)
    }

    var log: String { directory.read("log") }

    /// Whether a broker that is persistent has saved something.
    var hasSaved: Bool { !directory.read("mosquitto.db").isEmpty }

    /// Kills the broker as a crash would.
    func kill() {
        process.signal(SIGKILL)
        process.wait()
    }

    func stop() {
        process.signal(SIGTERM)
        process.wait()
    }

    /// Starts the broker again on the same port or socket, after it has ended.
    func restart() throws {
        process.wait()
        guard let process = try Self.start(directory, listener, (port, readersPort), lines) else {
            throw Trouble("mosquitto does not start again: \(log)")
        }
        self.process = process
    }

    /// Starts the broker; returns `nil` if it has ended.
    private static func start(
        _ directory: TemporaryDirectory, _ listener: Listener, _ ports: (UInt16, UInt16), _ lines: [String]
    ) throws -> ChildProcess? {
        try directory.write(configuration(directory, listener, ports, lines), to: "mosquitto.conf")
        let log = try directory.open("log")
        defer { close(log) }
        var environment = Environment.all
        environment["LD_LIBRARY_PATH"] = ["/usr/lib", "/lib"].flatMap { place in
            ["x86_64", "aarch64"].map { packages + place + "/\($0)-linux-gnu" }
        }.joined(separator: ":")
        let process = try ChildProcess(
            [program, "-c", directory.path + "/mosquitto.conf"], environment: environment,
            descriptors: [1: log, 2: log])
        let isUnix = if case .unix = listener { true } else { false }
        try wait(for: "mosquitto: \(directory.read("log"))") {
            process.hasEnded || (isUnix ? accepts(path: directory.path + "/broker") : Loopback.accepts(port: ports.0))
        }
        return process.hasEnded ? nil : process
    }

    private static func configuration(
        _ directory: TemporaryDirectory, _ listener: Listener, _ ports: (UInt16, UInt16), _ lines: [String]
    ) throws -> String {
        var all = ["log_dest stderr", "log_type all", "connection_messages true"]
        // As root, it would become a user that cannot read the files.
        if getuid() == 0 { all.append("user root") }
        all += lines
        switch listener {
        case .unix: all.append("listener 0 \(directory.path)/broker")
        case .tcp, .tls: all.append("listener \(ports.0) 127.0.0.1")
        case .example(let files):
            let socket = directory.path + "/broker"
            return try (all + [files.configuration(ports, socket: socket)]).joined(separator: "\n")
        }
        if case .tls(let files, let requiresCertificate) = listener {
            all += ["cafile \(files.ca ?? "")", "certfile \(files.certificate ?? "")", "keyfile \(files.key ?? "")"]
            if requiresCertificate { all += ["require_certificate true", "use_identity_as_username true"] }
        }
        all.append("allow_anonymous true")
        return all.joined(separator: "\n") + "\n"
    }
}
