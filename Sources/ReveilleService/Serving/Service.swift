// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging
import ReveilleCore
package import ReveilleHost
package import ReveilleSystem
import ReveilleWatchers

/// The bus of a process: its loop, sockets, watchers and signals, on one thread.
package final class Service {
    package let loop: EventLoop
    package let bus: WatchedBus
    private let logger: Logger
    /// The addresses that it serves, for the log and the supervisor.
    private let place: String
    private let configurationFile: ConfigurationFile?
    private var acceptors: [Acceptor] = []
    private var sources: [EventSource] = []

    /// Creates a service that accepts connections once it runs.
    ///
    /// It listens on the address, whose missing directory is created, unless a supervisor passed sockets. The
    /// configuration file is read again on SIGHUP. A bus at the address of the system bus reads no settings by default,
    /// whichever user runs it. Without `sleep`, the machine's sleep is watched. Without `messageBus`, an address, the service
    /// manager is that of the machine or of the user.
    package init(
        address: UnixAddress, configuration: Configuration, configurationFile: ConfigurationFile? = nil,
        files: FileLocations, sleep: ((EventLoop) -> any MachineSleep)? = nil, messageBus: String? = nil,
        version: String, logger: Logger
    ) throws(SystemError) {
        self.logger = logger
        self.configurationFile = configurationFile
        // This comes before anything is opened: an incorrect count from the supervisor would include our own
        // descriptors.
        let sockets = try Supervisor.takeSockets()
        loop = try EventLoop()
        // This comes first, since a client that sees the socket may already send a signal.
        for signal in [SIGTERM, SIGINT] {
            sources.append(try loop.onSignal(signal) { [loop] in loop.exit() })
        }
        // The handler needs the bus, so the signal waits until the bus exists.
        EventLoop.block(SIGHUP)
        var listeners: [UnixListener] = []
        var streams: [UnixStream] = []
        for socket in sockets {
            switch socket {
            case .listener(let number): listeners.append(try UnixListener(inherited: number))
            case .connection(let number): streams.append(try UnixStream(inherited: number))
            }
        }
        if sockets.isEmpty {
            try Service.makeDirectory(of: address)
            let listener = try UnixListener(at: address)
            // Clients that connect during a restart wait for the next instance.
            if Supervisor.store(listener.number) { listener.leaveInPlace() }
            listeners.append(listener)
        }
        // A supervisor may have chosen another address, and has no other way to make it known.
        let served = listeners.compactMap(\.address)
        let isNamed = !served.isEmpty
        let address = served.first ?? address
        var files = files
        // A synthetic phone has no part of the machine's own bus.
        let system = files.root + UnixAddress.systemBusPath
        files.isSystemWide = files.isSystemWide || address.path == system
        place = served.isEmpty ? "inherited connections" : served.map(\.description).joined(separator: ", ")
        let log = Service.logPath(of: address, home: files.home)
        // If this fails, the log cannot be saved, which it reports.
        if isNamed { try? PrivateFile.makeDirectory(of: log) }
        let manager = ServiceManager(loop: loop, address: messageBus)
        bus = try WatchedBus(
            loop: loop, manager: manager, configuration: configuration, files: files, sleep: sleep?(loop),
            // Without a known address, a bus would use another bus's files, and its programs would connect to that bus.
            state: isNamed ? StateFile(path: Service.statePath(of: address)) : nil,
            log: isNamed ? LogFile(path: log) : nil,
            schedule: ScheduleServices(
                file: isNamed ? ScheduleFile(path: Service.schedulePath(of: address, home: files.home)) : nil,
                zones: ZoneFiles(
                    loop: loop, locations: ZoneLocations(root: files.root, database: Environment["TZDIR"])
                ) { logger.warning("\($0)") },
                launcher: isNamed ? SystemLauncher(loop: loop, manager: manager) : nil,
                address: isNamed ? "\(address)" : nil,
                system: isNamed ? SystemWake(path: system, of: address, loop: loop, logger: logger) : nil),
            version: version, logger: logger)
        let server = bus.server
        let terminal = ControllingTerminal()
        sources.append(
            try loop.onSignal(SIGHUP, handler: weakly(self) { terminal.isGone ? $0.loop.exit() : $0.reload() }))
        for listener in listeners {
            acceptors.append(try Acceptor(listener: listener, loop: loop, logger: logger) { server.accept($0) })
        }
        for stream in streams { server.accept(stream) }
        server.connectionClosed = weakly(self) {
            for acceptor in $0.acceptors { acceptor.resume() }
        }
    }

    /// Serves until SIGTERM, SIGINT or the end of the terminal, then sends all pending deliveries and ends every stream.
    package func run() throws(SystemError) {
        let watchdog = try Supervisor.Watchdog(on: loop)
        Supervisor.notifyReady("serving \(place)")
        logger.info("serving \(place)")
        try withExtendedLifetime(watchdog) { () throws(SystemError) in try loop.run() }
        Supervisor.notifyStopping()
        acceptors = []
        bus.server.stop()
        logger.info("stopped")
    }

    /// Reads the configuration again; an invalid one changes nothing.
    private func reload() {
        // A supervisor that waits for the end of the reload is notified of it in any case.
        Supervisor.notifyReloading()
        defer { Supervisor.notifyReady("serving \(place)") }
        guard let configurationFile else {
            logger.notice("SIGHUP: there is no configuration file to read again")
            return
        }
        do {
            try bus.reconfigure(configurationFile.read())
            logger.info("read \(configurationFile) again")
        } catch {
            logger.error("the configuration is unchanged: \(error)")
        }
    }

    /// Returns the path of the state file: in the supervisor's runtime directory, else beside the socket.
    ///
    /// The name contains the socket's name, since two buses in one directory must not mix their generations.
    private static func statePath(of address: UnixAddress) -> String {
        guard let directory = Environment["RUNTIME_DIRECTORY"] else { return address.path + ".state.json" }
        return String(directory.prefix { $0 != ":" }) + "/state.json"
    }

    /// Returns the path of the schedule's file in the state directory.
    ///
    /// There, the name for a bus with an unusual socket contains a digest of the socket's path, since two buses must
    /// not write to one file.
    private static func schedulePath(of address: UnixAddress, home: String) -> String {
        let path = stateDirectory(home: home) + "/schedule"
        guard Environment["STATE_DIRECTORY"] == nil, address.path != UnixAddress.ownBusPath else { return path }
        return path + "-" + String(Digest(of: Array(address.path.utf8)).value, radix: 16)
    }

    /// Returns the path of the log of changes: in the state directory, or beside an unusual socket.
    private static func logPath(of address: UnixAddress, home: String) -> String {
        let isUsual = Environment["STATE_DIRECTORY"] != nil || address.path == UnixAddress.ownBusPath
        return isUsual ? stateDirectory(home: home) + "/log" : statePath(of: address) + ".log"
    }

    /// The supervisor's state directory, else the user's or the system's.
    private static func stateDirectory(home: String) -> String {
        if let directory = Environment["STATE_DIRECTORY"] { return String(directory.prefix { $0 != ":" }) }
        let home = Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return geteuid() == 0 ? "/var/lib/reveille" : home + "/.local/state/reveille"
    }

    /// Creates the socket's directory: public for root's bus, private for a user's.
    private static func makeDirectory(of address: UnixAddress) throws(SystemError) {
        let path = address.path.utf8
        guard let end = path.lastIndex(of: UInt8(ascii: "/")), end != path.startIndex else { return }
        let directory = String(address.path[..<end])
        // The caller's umask must not make root's bus unreachable for others.
        let failure = ThreadUmask.with(0o022) {
            mkdir(directory, geteuid() == 0 ? 0o755 : 0o700) == 0 || errno == EEXIST ? nil : errno
        }
        if let failure { throw SystemError("mkdir", on: directory, code: failure) }
    }
}
