// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleFleet
import ReveilleFleetCore
import ReveilleSystem

/// The options of the page of a fleet.
struct FleetOptions: ParsableArguments {
    /// The broker without an option: one on this machine, as for a first try.
    private static let usual = "localhost"

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
        do {
            var access = BrokerAccess(
                address: try BrokerAddress(broker ?? Environment["REVEILLE_BROKER"] ?? Self.usual))
            (access.ca, access.certificate, access.key) = (ca, certificate, key)
            (access.user, access.passwordFile) = (user, passwordFile)
            try access.check()
            return FleetBroker(access, password: try passwordFile.map(Self.password))
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Returns the password in a file.
    private static func password(in path: String) throws -> String {
        switch FileContents.read(path, limit: BrokerAccess.passwordLimit) {
        case .bytes(let bytes): return try BrokerAccess.password(in: bytes)
        case .missing: throw ValidationError("\(path) does not exist")
        case .notAFile: throw ValidationError("\(path) is not a regular file")
        case .tooLarge: throw ValidationError("\(path): a password has at most \(BrokerAccess.passwordLimit) bytes")
        case .unreadable(let error): throw ValidationError("\(error)")
        }
    }
}
