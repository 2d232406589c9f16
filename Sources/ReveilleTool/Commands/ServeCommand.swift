// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Logging
import Reveille
import ReveilleConsole
import ReveilleService
import ReveilleSystem
import Varlink

struct ServeCommand: GuardedCommand {
    /// The time after which the start is over: files have settled, and the state has been saved.
    private static let startTime: Duration = .seconds(1)

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the bus in the foreground until SIGTERM or SIGINT.",
        discussion: """
            A user's bus watches the settings in ~/.config. The system bus, at /run/reveille/org.reveille.Bus, \
            watches only the settings that defaults.paths names. Sockets of a supervisor (LISTEN_FDS) are served \
            at their own address.

            Logs are written to stderr. The configuration is JSON with comments (JSON5). Every key has a default; \
            --print-config prints them. SIGHUP reloads the file; an invalid file is rejected as a whole.

            EXAMPLES
              reveille serve
              reveille serve --print-config >reveille.json5
              reveille serve --config reveille.json5 --check
            """)

    @Flag(help: "Check the configuration and exit: with 0 if it is valid, else with 78 and an error.")
    var check = false

    @Flag(help: "Print the effective configuration, every key as JSON that --config accepts, and exit.")
    var printConfig = false

    @Option(
        help:
            "The address to listen on, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's address; for root, the system's."
    )
    var address: String?

    @Option(help: "The least important messages in the log. Default: $LOG_LEVEL, else info.")
    var logLevel: LogLevel?

    @OptionGroup var files: FileOptions

    func perform() throws {
        let log = ProgramLog(
            of: "reveille", level: try Failure.coded(.usage) { try LogLevel.chosen(logLevel) })
        let configuration = try files.configuration()
        if printConfig { return try Self.print(configuration) }
        if check {
            return try Console.line("\(files.file?.description ?? "no configuration file, all defaults"): ok")
        }
        try serve(configuration, log)
    }

    private func serve(_ configuration: Configuration, _ log: ProgramLog) throws {
        let address = try BusAddress.toServe(address)
        DescriptorLimit.raise()
        // Writes to a log without a reader fail and must not end the service.
        signal(SIGPIPE, SIG_IGN)
        // Writes beyond a file size limit (ulimit -f) fail and must not end the service.
        signal(SIGXFSZ, SIG_IGN)
        do throws(SystemError) {
            let service = try Service(
                address: address, configuration: configuration, configurationFile: files.file, files: files.locations,
                version: Device.libraryVersion, logger: Logger(label: "reveille") { _ in StderrLogHandler(log) })
            // Only in this command: another program with its own bus may not want its code unmapped.
            let startEnd = try service.loop.timer { StartupMemory.release() }
            startEnd.fire(after: Self.startTime)
            defer { startEnd.cancel() }
            try service.run()
        } catch {
            throw Failure(serving: error, at: address)
        }
    }

    /// Prints each section as one line.
    private static func print(_ configuration: Configuration) throws(Failure) {
        let members = configuration.json.members
        try Console.line("{")
        for (index, member) in members.enumerated() {
            let comma = index + 1 < members.count ? "," : ""
            try Console.line(printable: "  \(JSON.string(member.name)): \(member.value.printable)\(comma)")
        }
        try Console.line("}")
    }
}

/// Passes the messages of a logger to the log of the program, whose levels have the same names.
struct StderrLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// The logger drops less important messages before they are composed.
    var logLevel: Logger.Level
    private let log: ProgramLog

    init(_ log: ProgramLog) {
        self.log = log
        logLevel = Logger.Level(rawValue: log.level.rawValue) ?? .info
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.write(LogLevel(rawValue: event.level.rawValue) ?? .info, "\(event.message)")
    }
}
