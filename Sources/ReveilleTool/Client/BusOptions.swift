// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleSystem

/// The option that names the bus.
struct BusOptions: ParsableArguments {
    @Option(
        help: "The address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's bus, else the system bus."
    )
    var address: String?

    func device() async throws(ReveilleError) -> Device {
        try await Device.connect(to: address)
    }

    /// Returns the given address, or the default address at which a bus exists.
    func resolved() throws(ReveilleError) -> UnixAddress {
        try BusAddress.resolve(address)
    }
}
