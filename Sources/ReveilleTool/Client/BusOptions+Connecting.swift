// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleSystem

extension BusOptions {
    func device() async throws(ReveilleError) -> Device {
        try await Device.connect(to: address)
    }

    func resolved() throws(ReveilleError) -> UnixAddress {
        try BusAddress.resolve(address)
    }
}
