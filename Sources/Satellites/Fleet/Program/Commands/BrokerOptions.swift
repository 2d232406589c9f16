// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// The options that name the broker, and the identity that is shown to it.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: """
            The broker: mqtts://HOST[:PORT], unix:PATH, or a host alone; mqtt://HOST[:PORT] on this machine. Default: \
            $REVEILLE_BROKER, else localhost.
            """)
    var broker: String?

    @Option(
        help: ArgumentHelp(
            "The certificates that may sign that of the broker, in PEM. Default: those of this system.",
            valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("The certificate that is shown to the broker, in PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"))
    var key: String?

    @Option(help: "The name of the user, if the broker does not take it from the certificate.")
    var user: String?

    @Option(help: ArgumentHelp("The file with the user's password.", valueName: "file"))
    var passwordFile: String?

    @Option(help: "The least important messages on stderr. Default: $LOG_LEVEL, else info.")
    var logLevel: LogLevel?

    /// The log for messages about the fleet.
    func log() throws(Failure) -> ProgramLog {
        do throws(LogLevel.Invalid) {
            return ProgramLog(of: FleetCommand.name, level: try LogLevel.chosen(logLevel))
        } catch {
            throw Failure(.usage, "\(error)")
        }
    }

    /// Whether no broker is named, so that the usual one is used.
    var isUsual: Bool { broker == nil && FleetBroker.named == nil }

    /// Returns how the broker is reached.
    func fleet() throws(Failure) -> FleetBroker {
        do throws(FleetError) {
            return try FleetBroker(
                named: broker, ca: ca, certificate: certificate, key: key, user: user, passwordFile: passwordFile)
        } catch {
            throw Failure(.usage, error.description)
        }
    }
}
