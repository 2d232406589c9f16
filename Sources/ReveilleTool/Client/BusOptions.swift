// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleSystem

/// Where the bus is.
struct BusOptions: ParsableArguments {
    @Option(
        help: "Address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's own bus, else the machine's.")
    var address: String?

    /// The device whose bus that is.
    func device() async throws(ReveilleError) -> Device {
        try await Device.connect(to: address)
    }

    /// The address that was given, or where a bus is.
    func resolved() throws(Failure) -> UnixAddress {
        do throws(ReveilleError) {
            return try BusAddress.resolve(address)
        } catch {
            throw Failure(error)
        }
    }
}
