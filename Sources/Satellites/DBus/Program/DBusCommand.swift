// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleDBusCore
import ReveilleSystem

/// The program `reveille-dbus`.
@main
struct DBusCommand: ParsableCommand {
    static let name = "reveille-dbus"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Publish properties of objects on D-Bus.",
        discussion: """
            Publishes what services on D-Bus report about players, the network, Bluetooth devices and more, and what \
            rules name. Only what a subscriber needs is followed. No service is started, and nothing is written.

            EXAMPLES
              reveille-dbus &
              reveille watch 'org.mpris.player.*'
              reveille-dbus --check                     print the rules

            EXIT CODES
              1 failure, 64 usage error, 69 bus unavailable, 78 configuration error
            """,
        version: Device.libraryVersion)

    @Flag(help: "Check the configuration, print its rules, and exit: with 0 if it is valid, else with 78.")
    var check = false

    @Option(
        help: ArgumentHelp(
            """
            The configuration, in JSON5. Default: reveille/dbus.json5 in $XDG_CONFIG_HOME or in ~/.config, if it exists.
            """, valueName: "file"))
    var config: String?

    @OptionGroup var bus: OwnBus

    @OptionGroup var logging: LogOptions

    static func main() { runProgram() }

    func run() throws {
        let configuration = try readConfiguration()
        if check { return try print(configuration.rules) }
        let log = try logging.log(of: Self.name)
        // Failed writes to a log without a reader must not end the program.
        signal(SIGPIPE, SIG_IGN)
        let address = try bus.resolvedAddress()
        let loop = try Failure.coded(.failure) { try EventLoop() }
        let (satellite, signals) = try Failure.coded(.failure) {
            (
                try Satellite(configuration, try Connector(loop: loop, address: address), log),
                try [SIGTERM, SIGINT].map { signal in try loop.onSignal(signal) { loop.exit() } }
            )
        }
        try Failure.coded(.noBus) { try satellite.start() }
        try Failure.coded(.failure) { try withExtendedLifetime((satellite, signals)) { try loop.run() } }
    }

    private func print(_ rules: [Rule]) throws {
        let rows = rules.map { rule in
            [rule.key, rule.bus.rawValue, rule.service.text, rule.name.text].map { Table.Cell($0) }
        }
        try Table(columns: ["RULE", "BUS", .loose("SERVICE"), .loose("NAME")], rows: rows).print()
    }

    private func readConfiguration() throws(Failure) -> DBusConfiguration {
        let usual = ConfigurationPath.usual("dbus.json5").flatMap { access($0, F_OK) == 0 ? $0 : nil }
        let path = config ?? usual
        let bytes = try Failure.coded(.configuration) {
            try path.map { try RequiredFile.read($0, limit: DBusConfiguration.sizeLimit) } ?? Array("{}".utf8)
        }
        do throws(ConfigurationError) {
            return try DBusConfiguration(parsing: bytes)
        } catch {
            let error = ConfigurationError(key: error.key, reason: error.reason, file: path)
            throw Failure(.configuration, "\(error)")
        }
    }
}
