// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import Logging
import Reveille
import ReveilleService
import ReveilleSystem

/// `reveille serve`: the bus.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the bus in the foreground until SIGTERM or SIGINT.",
        discussion: """
            A user's bus watches the settings in ~/.config; that of the whole machine, root's at its usual \
            address, watches no user's settings unless defaults.paths names them.

            Logs go to stderr. The configuration is JSON with comments (JSON5); every key has a default:

              { battery: { pollInterval: 30, settleInterval: 1, levelStep: 0.01, levelInterval: 60 },
                proximity: { sampleInterval: 0.7, nearLevel: null },
                orientation: { sampleInterval: 0.7, settle: 0.4, frame: "auto", matrix: null },
                idleSampleInterval: 5,
                locale: { paths: null },
                defaults: { paths: ["~/.config"], settle: 0.05, deletionGrace: 0.25 },
                bus: { history: 256, maxFrame: 65536, connectionsPerUser: 64, connections: 1024 } }
            """)

    @OptionGroup var bus: BusOptions

    @OptionGroup var files: FileOptions

    func run() {
        Failure.guarding {
            let address = try bus.resolved()
            let configuration = try files.configuration()
            DescriptorLimit.raise()
            // A log that nobody reads any more loses its lines, and nothing else.
            signal(SIGPIPE, SIG_IGN)
            let logger = Logger(label: "reveille") { _ in StderrLogHandler() }
            do throws(SystemError) {
                var locations = files.locations
                locations.isSystemWide = address.path == BusAddress.systemPath
                let service = try Service(
                    address: address, configuration: configuration, files: locations, version: Tool.version,
                    logger: logger)
                try service.run()
            } catch {
                throw Failure(serving: error)
            }
        }
    }
}
