// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import ReveilleSystem

package struct BusOptions: ParsableArguments {
    @Option(
        help: "The address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's bus, else the system bus."
    )
    package var address: String?

    package init() {}
}

/// The options of a fleet program that name the broker, and the program's identity for the broker.
package struct BrokerOptions: ParsableArguments {
    @Option(
        help: """
            The broker: mqtts://HOST[:PORT], unix:PATH, or a host alone; mqtt://HOST[:PORT] on this machine. Default: \
            $REVEILLE_BROKER, else localhost.
            """)
    package var broker: String?

    @Option(
        help: ArgumentHelp(
            "The certificates that may sign the broker's, in PEM. Default: this system's.",
            valueName: "file"), completion: .file())
    package var ca: String?

    @Option(
        help: ArgumentHelp("The certificate that is shown to the broker, in PEM.", valueName: "file"),
        completion: .file())
    package var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"), completion: .file())
    package var key: String?

    @Option(help: "The name of the user, if the broker does not take it from the certificate.")
    package var user: String?

    @Option(help: ArgumentHelp("The file with the user's password.", valueName: "file"), completion: .file())
    package var passwordFile: String?

    package init() {}

    package var isEmpty: Bool { [broker, ca, certificate, key, user, passwordFile].allSatisfy { $0 == nil } }
}

package struct LogOptions: ParsableArguments {
    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    private var logLevel: LogLevel?

    package init() {}

    /// Fails if the environment has an invalid level.
    package func log(of program: String) throws(Failure) -> ProgramLog {
        do throws(LogLevel.Invalid) {
            return ProgramLog(of: program, level: try LogLevel.chosen(logLevel))
        } catch {
            throw Failure(.usage, "\(error)")
        }
    }
}

extension LogLevel: ExpressibleByArgument {}
