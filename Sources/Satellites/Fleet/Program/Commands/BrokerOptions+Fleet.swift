// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore

extension BrokerOptions {
    /// Whether no broker is named, so that the default applies.
    var isUsual: Bool { broker == nil && FleetBroker.named == nil }

    func fleet() throws(Failure) -> FleetBroker {
        do throws(FleetError) {
            return try FleetBroker(
                named: broker, ca: ca, certificate: certificate, key: key, user: user, passwordFile: passwordFile)
        } catch {
            throw Failure(.usage, error.description)
        }
    }
}
