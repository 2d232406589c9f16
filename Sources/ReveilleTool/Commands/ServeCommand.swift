// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import Logging
import Reveille
import ReveilleService
import ReveilleSystem
import Varlink

/// `reveille serve`: the bus.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the bus in the foreground until SIGTERM or SIGINT.",
        discussion: """
            A user's bus watches the settings in ~/.config; that of the whole machine, root's at its usual \
            address, watches no user's settings unless defaults.paths names them.

            Logs go to stderr. The configuration is JSON with comments (JSON5); every key has a default, which \
            --print-config shows. SIGHUP reads the file again; one that is wrong changes nothing.

            EXAMPLES
              reveille serve
              reveille serve --print-config >reveille.json5
              reveille serve --config reveille.json5 --check
            """)

    @Flag(help: "Only check the configuration: exit code 0, or 78 and what is wrong.")
    var check = false

    @Flag(help: "Only print the configuration in force: every key, as JSON that --config reads.")
    var printConfig = false

    @Option(
        help:
            "Where to listen, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's own address; root's is the machine's."
    )
    var address: String?

    @OptionGroup var files: FileOptions

    func run() {
        Failure.guarding {
            let configuration = try files.configuration()
            if printConfig { return try Self.print(configuration) }
            if check { return try Console.line("\(files.config ?? "no configuration file: the defaults"): ok") }
            try serve(configuration)
        }
    }

    private func serve(_ configuration: Configuration) throws(Failure) {
        let address = try resolvedAddress()
        DescriptorLimit.raise()
        // A log that nobody reads any more loses its lines, and nothing else.
        signal(SIGPIPE, SIG_IGN)
        // A state or a log that is not to grow (ulimit -f) costs what cannot be written, and nothing else.
        signal(SIGXFSZ, SIG_IGN)
        do throws(SystemError) {
            var locations = files.locations
            locations.isSystemWide = address.path == BusAddress.systemPath
            let service = try Service(
                address: address, configuration: configuration, configurationFile: files.config, files: locations,
                version: Tool.version, logger: Logger(label: "reveille") { _ in StderrLogHandler() })
            try service.run()
        } catch {
            throw Failure(serving: error, at: address)
        }
    }

    private func resolvedAddress() throws(Failure) -> UnixAddress {
        do throws(ReveilleError) {
            return try BusAddress.toServe(address)
        } catch {
            throw Failure(error)
        }
    }

    /// Prints a section a line.
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
