// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleFleetCore
import ReveilleHost
import ReveilleLink
import ReveilleMQTT
import ReveilleSystem

struct BridgeCommand: ParsableCommand {
    /// The time after which the start is over, and its memory is released.
    private static let startTime: Duration = .seconds(1)

    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Publish the states of this device to a broker until SIGTERM or SIGINT.",
        discussion: """
            While the broker is out of reach, the bridge is a subscriber in the background: nothing queues. Afterwards, \
            it publishes one message for each aspect that changed, with the number of changes. Values that \
            the fleet sets are published on the bus, for the names that the configuration allows.

            EXAMPLES
              reveille-fleet bridge --config fleet.json5 --check
              reveille-fleet bridge --config fleet.json5

            EXIT CODES
              1 failure, 64 usage error, 75 another bridge uses the file, 78 invalid configuration
            """)

    @Flag(help: "Check the configuration, print it with its defaults, and exit: with 0 if it is valid, else with 78.")
    var check = false

    @Option(
        help: ArgumentHelp(
            """
            The configuration, in JSON5. Default: /etc/reveille/fleet.json5 for root, else reveille/fleet.json5 in \
            $XDG_CONFIG_HOME or in ~/.config.
            """, valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            """
            The file of positions. Default: bridge-DEVICE.json in $STATE_DIRECTORY, else in $XDG_STATE_HOME/reveille, \
            else in ~/.local/state/reveille.
            """, valueName: "file"), completion: .file())
    var state: String?

    @OptionGroup var bus: BusOptions

    @OptionGroup var logging: LogOptions

    func run() {
        Failure.guarding {
            let setup = try BridgeSetup.read(config ?? BridgeSetup.usualPath())
            if check {
                // Otherwise only each connection would report an error.
                if let problem = setup.configuration.broker.problem { throw Failure(.configuration, problem) }
                return try setup.print()
            }
            let log = try logging.log(of: FleetCommand.name)
            // The positions are for this user only.
            umask(0o077)
            // The bridge outlives the reader of its log.
            signal(SIGPIPE, SIG_IGN)
            try serve(setup, log)
        }
    }

    private func serve(_ setup: BridgeSetup, _ log: ProgramLog) throws {
        let loop = try EventLoop()
        let connector = try Result { () throws(ReveilleError) in try Connector(loop: loop, address: bus.address) }
            .mapError { Failure(.usage, "\($0)") }.get()
        let bridgeLog = BridgeLog(log)
        let keeper = try BridgePositionsFile(path: state, of: setup.device, on: loop, log: bridgeLog)
        let bridge = try Bridge(setup, on: loop, to: connector, keeper: keeper, log: bridgeLog)
        let signals = try [SIGTERM, SIGINT, SIGHUP].filter { !IgnoredSignals.contains($0) }.map { signal in
            try loop.onSignal(signal) { bridge.stop() }
        }
        let startEnd = try loop.timer { StartupMemory.release() }
        startEnd.fire(after: Self.startTime)
        let watchdog = try Supervisor.Watchdog(on: loop)
        Supervisor.notifyReady("connecting \(setup.device) to \(setup.configuration.broker)")
        bridge.start()
        try withExtendedLifetime((bridge, signals, startEnd, watchdog)) { try loop.run() }
    }
}
