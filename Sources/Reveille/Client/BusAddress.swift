// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import ReveilleSystem

/// Where the bus is, where nobody says so.
package enum BusAddress {
    /// Where the bus of the whole machine is.
    package static let systemPath = "/run/reveille/org.reveille.Bus"

    /// The address of the bus to ask.
    ///
    /// One that is given, here or in `$REVEILLE_ADDRESS`, counts alone. Else it is the user's own bus, and where nobody
    /// serves that, the machine's; root has no other than the machine's.
    ///
    /// - Parameter text: `unix:PATH`; `nil` for the usual one.
    /// - Returns: The address.
    /// - Throws: `ReveilleError` with the text and what is wrong with it; or with the places where no bus is.
    package static func resolve(_ text: String?) throws(ReveilleError) -> UnixAddress {
        if let address = try given(text) { return address }
        let usual = try usual()
        let present = usual.filter(isPresent)
        // One alone need not be tried: whoever connects to it says what is wrong.
        if present.count == 1 { return present[0] }
        if let address = present.first(where: isServed) ?? present.first { return address }
        let places = usual.map(\.description).joined(separator: " or ")
        throw ReveilleError(.noBus, "there is no bus at \(places); is 'reveille serve' running?")
    }

    /// The address to serve: the one that is given, else the user's own, which for root is the machine's.
    ///
    /// - Parameter text: `unix:PATH`; `nil` for the usual one.
    /// - Returns: The address.
    /// - Throws: `ReveilleError` with the text, and what is wrong with it.
    package static func toServe(_ text: String?) throws(ReveilleError) -> UnixAddress {
        if let address = try given(text) { return address }
        return try usual()[0]
    }

    private static func given(_ text: String?) throws(ReveilleError) -> UnixAddress? {
        guard let text = text ?? Environment["REVEILLE_ADDRESS"] else { return nil }
        return try parse(text)
    }

    /// Where a bus usually is, the user's own first.
    private static func usual() throws(ReveilleError) -> [UnixAddress] {
        let system = try parse("unix:" + systemPath)
        if geteuid() == 0 { return [system] }
        // A path that is not absolute is to be ignored, by the specification of XDG's directories.
        let directory =
            Environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? "/run/user/\(geteuid())"
        return [try parse("unix:\(directory)/reveille/org.reveille.Bus"), system]
    }

    private static func parse(_ text: String) throws(ReveilleError) -> UnixAddress {
        do throws(UnixAddress.Invalid) {
            return try UnixAddress(text)
        } catch {
            throw ReveilleError(.invalidArgument, error.description)
        }
    }

    private static func isPresent(_ address: UnixAddress) -> Bool {
        access(address.path, F_OK) == 0
    }

    /// Whether somebody listens: a bus that was killed leaves its socket behind.
    private static func isServed(_ address: UnixAddress) -> Bool {
        do throws(SystemError) {
            _ = try UnixStream(connectingTo: address)
            return true
        } catch {
            // A bus that is busy, or may not be asked, is one.
            return error.code != ECONNREFUSED && error.code != ENOENT
        }
    }
}
