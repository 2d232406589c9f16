// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleFleetCore
import ReveilleHost
import ReveilleLink
import ReveilleSystem
import ReveilleViewCore

@main
struct ViewCommand: ParsableCommand {
    /// The digits of REVE on a telephone.
    private static let usualPort: UInt16 = 7383
    private static let privateMask: mode_t = 0o077

    static let configuration = CommandConfiguration(
        commandName: "reveille-view",
        abstract: "Serve a live page of the bus to browsers on this machine.",
        discussion: """
            Prints the address of the page, whose token admits its holder. The page shows all aspects, their last hour, \
            the subscriptions, and the battery over a day, a week and a month. A hidden tab is a subscriber in the \
            background: on its return, it receives one event for each aspect that changed. The page of a fleet shows all \
            devices of a broker; on its return, it receives each device that changed once.

            EXAMPLES
              reveille-view --open
              reveille-view --print-address
              reveille-view --port 0
              reveille-view --fleet --broker broker.example
              reveille-view --import /var/lib/upower/history-charge-*.dat

            EXIT CODES
              1 failure, 64 usage error, 66 a file cannot be read, 69 port unavailable, or no page served there, \
            75 another reveille-view has the history
            """,
        version: Device.libraryVersion)

    @Option(help: "The port on 127.0.0.1 and ::1. 0 chooses one that is free.")
    var port: UInt16 = usualPort

    @Flag(help: "Open the page in a browser with xdg-open: the one that is served at the port, else a new one.")
    var open = false

    @Flag(help: "Print the address of the page that is served at the port, and exit.")
    var printAddress = false

    @OptionGroup var bus: BusOptions

    @Option(
        help: ArgumentHelp(
            """
            The file of the battery's history. Default: view.sqlite in $STATE_DIRECTORY, else in \
            $XDG_STATE_HOME/reveille, else in ~/.local/state/reveille. The file of the address is beside it.
            """, valueName: "path"), completion: .file())
    var history: String?

    @Option(
        name: .customLong("import"), parsing: .upToNextOption,
        help: ArgumentHelp("Add histories of UPower to the history, and exit.", valueName: "file"), completion: .file())
    var imports: [String] = []

    @OptionGroup var logging: LogOptions

    @OptionGroup(title: "Options of a fleet") var fleet: FleetOptions

    static func main() { runProgram() }

    func run() throws {
        let log = try logging.log(of: "reveille-view")
        // The history and the token are for this user only.
        let mask = umask(Self.privateMask)
        // The page outlives the reader of its log.
        signal(SIGPIPE, SIG_IGN)
        let path = try historyPath()
        guard imports.isEmpty else { return try importFiles(into: path, log) }
        do {
            let listener = try Listener(port: port)
            guard !printAddress else {
                throw Failure(.noBus, "no page is served at port \(port); start one with 'reveille-view'")
            }
            try serve(listener, path, mask, log)
        } catch let error as SystemError where error.code == EADDRINUSE {
            if open || printAddress, let address = try AddressFile(port: port, history: path).read() {
                if printAddress { try Self.announce(address) }
                return open ? try Self.show(address, mask) : ()
            }
            log.write(
                .error,
                """
                \(error). Is reveille-view already running? --print-address prints its address. Choose another port \
                with --port, or any free one with --port 0.
                """
            )
            throw ExitCode(EX_UNAVAILABLE)
        } catch let error as SystemError {
            log.write(.error, "\(error)")
            throw ExitCode(error.operation == "bind" ? EX_UNAVAILABLE : EXIT_FAILURE)
        } catch  where error is ReveilleError || error is FleetError {
            throw ValidationError("\(error)")
        }
    }

    /// Keeps another program from recording the same changes; `nil` if the history cannot be used, which is reported.
    private func lock(_ history: String) throws(Failure) -> FileLock? {
        StatePath.createDirectories(of: history)
        do throws(SystemError) {
            return try FileLock.patiently(history)
        } catch {
            guard error.code == EWOULDBLOCK else { return nil }
            throw Failure(
                .tryAgain, "\(history): another reveille-view records here; choose another file with --history")
        }
    }

    private func serve(_ listener: consuming Listener, _ path: String, _ mask: mode_t, _ log: ProgramLog) throws {
        let historyLock = try lock(path)
        let loop = try EventLoop()
        let viewLog = ViewLog(log)
        let connector = try Connector(loop: loop, address: bus.address)
        // The system's generator is fit for secrets. While the program does not run, another account can listen on its
        // port, and browsers send their cookies to that account: each run has a new token.
        let token = AccessToken(random: (0..<AccessToken.length).map { _ in UInt8.random(in: .min ... .max) })
        let gate = Gate(port: listener.port, token: token, hasFleet: fleet.fleet)
        let addressLock = AddressFile(port: listener.port, history: path).write(gate.address, log)
        let history = History(path: path, log: viewLog)
        let hub = try fleet.access().map { try FleetHub($0, loop: loop, log: viewLog) }
        let server = try WebServer(
            listener, gate: gate, bus: connector, history: history, fleet: hub, loop: loop, log: viewLog)
        let recorder = try Recorder(history, on: connector, log: viewLog)
        let signals = try Signals.ending.map { signal in
            try loop.onSignal(signal) { [weak loop] in loop?.exit() }
        }
        try Self.announce(gate.address)
        if open { try Self.show(gate.address, mask) }
        // Others can read status lines, so they do not have the token.
        Supervisor.notifyReady("serving \(gate.address.prefix { $0 != "?" })")
        try withExtendedLifetime((server, recorder, signals)) { try loop.run() }
        Supervisor.notifyStopping()
        withExtendedLifetime(historyLock) {}
        withExtendedLifetime(addressLock) {}
        // The server cannot be released while streams wait. The kernel closes everything.
        _exit(EXIT_SUCCESS)
    }

    /// Prints the address: without it, nobody can open the page.
    private static func announce(_ address: String) throws(SystemError) {
        // Unbuffered: the program that waits for the address may read from a pipe.
        do throws(SystemError) {
            try Output.write((address + "\n").utf8, to: STDOUT_FILENO, of: "stdout")
        } catch {
            // Nobody waits for the address.
            guard [EBADF, EPIPE].contains(error.code) else { throw error }
        }
    }

    /// Opens the address in the user's browser, which has the user's own mask.
    private static func show(_ address: String, _ mask: mode_t) throws(SystemError) {
        umask(mask)
        defer { umask(privateMask) }
        // The kernel reaps the program, which may run as long as the browser.
        signal(SIGCHLD, SIG_IGN)
        _ = try ProcessSpawn.spawn(
            ["xdg-open", address], environment: Environment.all, descriptors: [:], group: .session)
    }

    private func historyPath() throws -> String {
        guard let history else { return try StatePath.usual("view.sqlite", option: "--history") }
        guard !history.hasPrefix("/") else { return history }
        guard let directory = getcwd(nil, 0) else { throw ExitCode(EX_OSERR) }
        defer { free(directory) }
        return String(cString: directory) + "/" + history
    }

    private func importFiles(into path: String, _ log: ProgramLog) throws {
        let history = History(path: path, log: ViewLog(log))
        for file in imports {
            let bytes: [UInt8]
            do throws(RequiredFile.Unusable) {
                bytes = try RequiredFile.read(file, limit: Self.importLimit)
            } catch {
                log.write(.error, "\(error)")
                throw ExitCode(EX_NOINPUT)
            }
            let now = Clocks.wall() / 1_000_000
            let found = UPowerHistory(bytes, at: now)
            if let reason = found.firstIgnored {
                log.write(
                    .warning,
                    "\(file): \(Count.text(found.ignored, "line")) ignored; the first: \(reason)")
            }
            do {
                let added = try history.add(found.samples, at: now)
                print("\(file): \(added) of \(Count.text(found.samples.count, "sample")) added")
            } catch {
                log.write(.error, "\(error)")
                throw ExitCode.failure
            }
        }
    }

    /// The longest file of UPower in bytes: a week takes a tenth of this.
    private static let importLimit = 4 << 20
}

typealias ViewLog = SubjectLog<ViewSubject>

enum ViewSubject {
    case bus, broker, history, connections
}
