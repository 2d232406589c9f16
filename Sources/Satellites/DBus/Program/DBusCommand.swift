// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleDBusCore
import ReveilleLink
import ReveilleSystem

/// The program `reveille-dbus`.
@main
struct DBusCommand: ParsableCommand {
    static let name = "reveille-dbus"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Publish properties of objects on D-Bus.",
        discussion: """
            Publishes properties of services on D-Bus: of players, the network, Bluetooth devices and more, and of \
            those that rules name. Follows only properties that a subscriber needs, starts no service and writes nothing.

            EXAMPLES
              reveille-dbus &
              reveille watch 'org.mpris.player.*'
              reveille-dbus list                        show what is found and needed

            EXIT CODES
              1 failure, 64 usage error, 69 bus unavailable, 75 another reveille-dbus publishes, 78 configuration error
            """,
        version: Device.libraryVersion,
        subcommands: [ServeRulesCommand.self, ListCommand.self, CheckRulesCommand.self],
        defaultSubcommand: ServeRulesCommand.self)

    static func main() { runProgram() }
}

struct ServeRulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Publish until SIGTERM or SIGINT; the default.")

    @OptionGroup var setup: SetupOptions
    @OptionGroup var bus: OwnBus
    @OptionGroup var logging: LogOptions

    func run() throws {
        let configuration = try setup.read()
        let log = try logging.log(of: DBusCommand.name)
        // Failed writes to a log without a reader must not end the program.
        signal(SIGPIPE, SIG_IGN)
        let address = try bus.resolvedAddress()
        try Failure.coded(.failure) {
            let loop = try EventLoop()
            let satellite = try Satellite(configuration, loop, try Connector(loop: loop, address: address), log)
            let signals = try [SIGTERM, SIGINT].map { signal in try loop.onSignal(signal) { loop.exit() } }
            // Later, the satellite waits until the bus is back.
            try Failure.coded(.noBus) { _ = try BlockingClient(try BusAddress.resolve(address)) }
            satellite.start()
            let lock = try bus.lock(DBusCommand.name)
            try withExtendedLifetime((satellite, signals)) { try loop.run() }
            withExtendedLifetime(lock) {}
        }
    }
}

struct CheckRulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration, and print its rules.")

    @OptionGroup var setup: SetupOptions

    func run() throws {
        let rows = try setup.read().rules.map { rule in
            [rule.key, rule.bus.rawValue, rule.service.text, rule.name.text].map { Table.Cell($0) }
        }
        try Table(columns: ["RULE", "BUS", .loose("SERVICE"), .loose("NAME")], rows: rows).print()
    }
}

struct SetupOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The configuration, in JSON5. Default: reveille/dbus.json5 in $XDG_CONFIG_HOME or in ~/.config, if it exists.
            """, valueName: "file"), completion: .file())
    var config: String?

    func read() throws(Failure) -> DBusConfiguration {
        let usual = ConfigurationPath.usual("dbus.json5").flatMap { access($0, F_OK) == 0 ? $0 : nil }
        guard let path = config ?? usual else {
            return try Failure.coded(.configuration) { try DBusConfiguration(parsing: Array("{}".utf8)) }
        }
        return try ConfigurationPath.read(path, limit: DBusConfiguration.sizeLimit) { bytes in
            Result { () throws(ConfigurationError) in try DBusConfiguration(parsing: bytes) }
        }
    }
}
