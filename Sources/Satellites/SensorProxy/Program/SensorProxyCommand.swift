// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem

/// The program `reveille-sensor-proxy`.
@main
struct SensorProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reveille-sensor-proxy",
        abstract: "Provide the device's sensors to desktops, in place of iio-sensor-proxy.",
        discussion: """
            Provides net.hadess.SensorProxy on the system's D-Bus, or on the one at $DBUS_SYSTEM_BUS_ADDRESS. A claim \
            of a sensor subscribes to its aspect of the bus; the last release cancels the subscription.

            The program ends with 0 when the device has had no accelerometer, light or proximity sensor for ten \
            seconds and none is claimed.

            EXAMPLES
              reveille-sensor-proxy --address unix:/run/reveille/org.reveille.Bus
              busctl --system introspect net.hadess.SensorProxy /net/hadess/SensorProxy

            EXIT CODES
              1 failure, 64 usage error, 69 bus, D-Bus or its name unavailable, 77 permission denied
            """,
        version: Device.libraryVersion)

    @Option(
        help: """
            The address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's bus or, if nothing serves \
            that, the system's.
            """)
    var address: String?

    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    var logLevel: LogLevel?

    static func main() { runProgram() }

    func run() {
        var log = ProgramLog(of: "reveille-sensor-proxy", level: .info)
        // Failed writes to a log without a reader must not end the program.
        signal(SIGPIPE, SIG_IGN)
        do {
            log.level = try LogLevel.chosen(logLevel)
            let thread = try LoopThread()
            let task = try AwaitedTask()
            task.start(on: thread) { [address, log] in
                let device = try await Device.connect(to: address, logger: .warnings, on: thread)
                if let failure = await SensorProxy(device, on: thread, log: log).run() { throw failure }
            }
            try task.wait()
            log.write(.info, "no accelerometer, light or proximity sensor, and no claim of one")
        } catch {
            log.write(.error, "\(error)")
            Glibc.exit(Self.exitCode(of: error))
        }
    }

    private static func exitCode(of error: any Error) -> Int32 {
        switch error {
        case is LogLevel.Invalid: EX_USAGE
        case let error as SensorProxy.Failure: error.exitCode
        case let error as ReveilleError:
            switch error.code {
            case .noBus, .timeout: EX_UNAVAILABLE
            case .notPermitted: EX_NOPERM
            case .invalidArgument: EX_USAGE
            default: EXIT_FAILURE
            }
        default: EXIT_FAILURE
        }
    }
}
