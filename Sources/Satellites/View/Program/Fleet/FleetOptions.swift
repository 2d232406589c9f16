// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore

struct FleetOptions: ParsableArguments {
    @Flag(help: "Also serve the page of a fleet, and print its address.")
    var fleet = false

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        if !fleet, !broker.isEmpty { throw ValidationError("the options of the broker need --fleet") }
    }

    /// Returns the broker with its credentials; `nil` without `--fleet`.
    func access() throws -> FleetBroker? {
        guard fleet else { return nil }
        do throws(FleetError) {
            return try FleetBroker(
                named: broker.broker, ca: broker.ca, certificate: broker.certificate, key: broker.key,
                user: broker.user, passwordFile: broker.passwordFile)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
