// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Reveille
import ReveilleSystem

/// The options that name a bus.
struct BusOptions: ParsableArguments {
    @Option(
        help: "Address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's own bus, else the machine's.")
    var address: String?

    /// Connects to the device of the bus.
    func device() async throws(ReveilleError) -> Device {
        try await Device.connect(to: address)
    }

    /// Returns the address that was given, or the usual address where a bus is.
    func resolved() throws(ReveilleError) -> UnixAddress {
        try BusAddress.resolve(address)
    }
}
