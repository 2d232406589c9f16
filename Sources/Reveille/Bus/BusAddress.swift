// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import ReveilleSystem

/// Where the bus is, where nobody says so.
package enum BusAddress {
    /// Where the bus of the whole machine is.
    package static let systemPath = "/run/reveille/org.reveille.Bus"

    /// Reads an address, or finds the usual one: `$REVEILLE_ADDRESS`, else for root the bus of the whole machine,
    /// else the user's own.
    ///
    /// - Parameter text: `unix:PATH`; `nil` for the usual one.
    /// - Returns: The address.
    /// - Throws: `ReveilleError` with the text, and what is wrong with it.
    package static func resolve(_ text: String?) throws(ReveilleError) -> UnixAddress {
        let address: String
        if let text { address = text } else { address = try usual() }
        do throws(UnixAddress.Invalid) {
            return try UnixAddress(address)
        } catch {
            throw ReveilleError(.invalidArgument, error.description)
        }
    }

    private static func usual() throws(ReveilleError) -> String {
        if let address = Environment["REVEILLE_ADDRESS"] { return address }
        if geteuid() == 0 { return "unix:" + systemPath }
        guard let directory = Environment["XDG_RUNTIME_DIR"] else {
            throw ReveilleError(
                .invalidArgument, "XDG_RUNTIME_DIR is not set; name the bus by its address, or in REVEILLE_ADDRESS")
        }
        return "unix:\(directory)/reveille/org.reveille.Bus"
    }
}
