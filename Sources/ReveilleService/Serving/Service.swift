// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import Logging
import ReveilleCore
package import ReveilleSystem
import ReveilleWatchers

/// The whole bus of one process: its loop, sockets, sources and signals, on one thread.
package final class Service {
    /// Its thread's loop.
    package let loop: EventLoop
    /// The bus and its sources.
    package let bus: WatchedBus
    private let logger: Logger
    /// Where it listens, for people.
    private let place: String
    private let configurationFile: String?
    private var acceptors: [Acceptor] = []
    private var sources: [EventSource] = []

    /// Makes a service that accepts connections once it runs.
    ///
    /// - Parameters:
    ///   - address: Where to listen, unless a supervisor handed sockets over. A missing directory of the
    ///     usual places is made.
    ///   - configuration: What can be set.
    ///   - configurationFile: Where that was read, and is read again on SIGHUP.
    ///   - files: Where the files of locale and settings are.
    ///   - version: The program's version, for GetInfo.
    ///   - logger: Takes what a person may need to know.
    /// - Throws: `SystemError` when it cannot listen.
    package init(
        address: UnixAddress, configuration: Configuration, configurationFile: String? = nil, files: FileLocations,
        version: String, logger: Logger
    ) throws(SystemError) {
        self.logger = logger
        self.configurationFile = configurationFile
        // Before anything is opened: a supervisor that counts wrong must not hand over what is ours.
        let sockets = try Supervisor.takeSockets()
        loop = try EventLoop()
        // First of all: whoever sees the socket may already want it gone.
        for signal in [SIGTERM, SIGINT] {
            sources.append(try loop.onSignal(signal) { [loop] in loop.exit() })
        }
        // Its handler needs the bus; one that comes before waits for it.
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
            // Those who connect while an instance takes over from another wait for it.
            if Supervisor.store(listener.number) { listener.leaveInPlace() }
            listeners.append(listener)
        }
        // A supervisor may have chosen another place than is usual.
        let served = listeners.compactMap(\.address)
        place = served.isEmpty ? "connections that were handed over" : served.map(\.description).joined(separator: ", ")
        bus = try WatchedBus(
            loop: loop, configuration: configuration, files: files,
            state: StateFile(path: Service.statePath(of: served.first ?? address)), version: version, logger: logger)
        let broker = bus.broker
        let terminal = ControllingTerminal()
        sources.append(
            try loop.onSignal(SIGHUP) { [unowned self, loop] in
                if terminal.isGone { loop.exit() } else { reload() }
            })
        for listener in listeners {
            acceptors.append(try Acceptor(listener: listener, loop: loop, broker: broker, logger: logger))
        }
        for stream in streams { broker.accept(stream) }
        broker.connectionClosed = { [weak self] in
            for acceptor in self?.acceptors ?? [] { acceptor.resume() }
        }
    }

    /// Serves until SIGTERM or SIGINT, or until its terminal is gone; then delivers what is due and ends every stream.
    package func run() throws(SystemError) {
        loop.enableWatchdog()
        Supervisor.notifyReady("serving \(place)")
        logger.info("serving \(place)")
        try loop.run()
        Supervisor.notifyStopping()
        acceptors = []
        bus.broker.stop()
        logger.info("stopped")
    }

    /// Reads the configuration again; one that is wrong changes nothing.
    private func reload() {
        guard let configurationFile else {
            logger.notice("SIGHUP: there is no configuration file to read again")
            return
        }
        Supervisor.notifyReloading()
        do {
            try bus.reconfigure(Configuration(readingFile: configurationFile))
            logger.info("read \(configurationFile) again")
        } catch {
            logger.error("the configuration stays as it was: \(error)")
        }
        Supervisor.notifyReady("serving \(place)")
    }

    /// The state lies in the directory that a supervisor made for it, else beside the socket, with its name.
    ///
    /// Two buses may have sockets in one directory; a common name would mix their generations.
    private static func statePath(of address: UnixAddress) -> String {
        guard let directory = getenv("RUNTIME_DIRECTORY").map({ String(cString: $0) }), !directory.isEmpty else {
            return address.path + ".state.json"
        }
        return String(directory.prefix { $0 != ":" }) + "/state.json"
    }

    /// Makes the socket's directory: open to all for root's bus, the user's alone for a user's.
    private static func makeDirectory(of address: UnixAddress) throws(SystemError) {
        let path = address.path.utf8
        guard let end = path.lastIndex(of: UInt8(ascii: "/")), end != path.startIndex else { return }
        let directory = String(address.path[..<end])
        // The caller's umask is not to make root's bus unreachable for others.
        let mask = umask(0o022)
        defer { umask(mask) }
        guard mkdir(directory, geteuid() == 0 ? 0o755 : 0o700) == 0 || errno == EEXIST else {
            throw SystemError("mkdir", on: directory)
        }
    }
}
