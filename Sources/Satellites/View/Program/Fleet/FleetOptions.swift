// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleFleet
import ReveilleFleetCore

/// The options of the page of a fleet.
struct FleetOptions: ParsableArguments {
    @Flag(help: "Also serve the page of a fleet, and print its address.")
    var fleet = false

    @Option(
        help: """
            The broker of the fleet: mqtts://HOST[:PORT], unix:PATH, or a host alone; mqtt://HOST[:PORT] on this machine. \
            Default: $REVEILLE_BROKER, else localhost.
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

    func validate() throws {
        if !fleet, [broker, ca, certificate, key, user, passwordFile].contains(where: { $0 != nil }) {
            throw ValidationError("the options of the broker need --fleet")
        }
    }

    /// Returns how the broker is reached; `nil` without `--fleet`.
    func access() throws -> FleetBroker? {
        guard fleet else { return nil }
        do throws(FleetError) {
            return try FleetBroker(
                named: broker, ca: ca, certificate: certificate, key: key, user: user, passwordFile: passwordFile)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
