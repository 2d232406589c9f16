// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleLink
import ReveilleSystem

/// The program `reveille-location`.
@main
struct LocationCommand: ParsableCommand {
    private static let name = "reveille-location"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Publish the location that gpsd reports.",
        discussion: """
            Publishes org.reveille.location on the user's bus for as long as the program runs. It is connected to gpsd \
            only while a subscriber needs the location, so that the receiver can rest. The location is withdrawn while \
            gpsd is unavailable, and after 30 seconds without a fix.

            EXAMPLES
              reveille-location &
              reveille watch org.reveille.location

            EXIT CODES
              1 failure, 64 usage error, 69 bus unavailable, 75 another reveille-location publishes, 77 permission denied
            """,
        version: Device.libraryVersion)

    @Option(help: ArgumentHelp("The address of gpsd.", valueName: "host:port"))
    var gpsd = Endpoint.usual

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The least distance from the last published fix. 0 publishes every fix that differs.", valueName: "meters"))
    var distance = 0.0

    @OptionGroup var bus: OwnBus

    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    var logLevel: LogLevel?

    func validate() throws {
        guard distance >= 0, distance.isFinite else {
            throw ValidationError("--distance must be at least 0, not \(distance)")
        }
    }

    static func main() { runProgram() }

    func run() {
        var log = ProgramLog(of: Self.name, level: .info)
        do {
            log.level = try LogLevel.chosen(logLevel)
            try serve(log)
        } catch {
            log.write(.error, "\(error)")
            Glibc.exit(Self.exitCode(of: error))
        }
    }

    private func serve(_ log: ProgramLog) throws {
        // Failed writes to a log without a reader must not end the program.
        signal(SIGPIPE, SIG_IGN)
        let address = try bus.resolvedAddress()
        let client = try BlockingClient(try BusAddress.resolve(address))
        let lock = try bus.lock(Self.name)
        // Reports a missing permission at once, and withdraws a value that another program has left.
        try client.publish(PublishedValue(withdrawing: LocationPublisher.name))
        let loop = try EventLoop()
        let connector = try Connector(loop: loop, address: address)
        let publisher = try LocationPublisher(gpsd, threshold: distance, on: loop, to: connector, log: log)
        publisher.start()
        try withExtendedLifetime(publisher) { try loop.run() }
        withExtendedLifetime(lock) {}
        if let refusal = publisher.refusal { throw refusal }
    }

    private static func exitCode(of error: any Error) -> Int32 {
        if error is LogLevel.Invalid { return EX_USAGE }
        if let failure = error as? Failure { return failure.code.rawValue }
        return switch (error as? ReveilleError)?.code {
        case .noBus: EX_UNAVAILABLE
        case .notPermitted: EX_NOPERM
        case .invalidArgument: EX_USAGE
        default: EXIT_FAILURE
        }
    }
}
