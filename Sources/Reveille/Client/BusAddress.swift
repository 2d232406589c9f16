// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleService
package import ReveilleSystem

package enum BusAddress {
    /// Returns the address of the bus to connect to.
    ///
    /// An address that is given, here (`unix:PATH`) or in `$REVEILLE_ADDRESS`, is the only candidate. Otherwise it is the
    /// user's own bus or, if nothing serves that, the machine's bus; root uses the machine's bus only.
    package static func resolve(_ text: String?) throws(ReveilleError) -> UnixAddress {
        if let address = try given(text) { return address }
        let usual = try usual()
        let present = usual.filter(isPresent)
        // A single candidate need not be tried: connecting to it reports any error.
        if present.count == 1 { return present[0] }
        if let address = present.first(where: isServed) ?? present.first { return address }
        let places = usual.map(\.description).joined(separator: " or ")
        throw .noBus(at: places)
    }

    /// Returns the address to serve: the given address (`unix:PATH`), otherwise the user's own; for root, the machine's.
    package static func toServe(_ text: String?) throws(ReveilleError) -> UnixAddress {
        if let address = try given(text) { return address }
        return try usual()[0]
    }

    private static func given(_ text: String?) throws(ReveilleError) -> UnixAddress? {
        guard let text = text ?? Environment["REVEILLE_ADDRESS"] else { return nil }
        return try parse(text)
    }

    /// The usual addresses, the user's own first.
    private static func usual() throws(ReveilleError) -> [UnixAddress] {
        let system = try parse("unix:" + Service.systemPath)
        if geteuid() == 0 { return [system] }
        // The XDG Base Directory Specification requires relative paths to be ignored.
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

    /// Whether a process listens: a bus that was killed leaves its socket behind.
    private static func isServed(_ address: UnixAddress) -> Bool {
        do throws(SystemError) {
            _ = try UnixStream(connectingTo: address)
            return true
        } catch {
            // A bus that is busy or refuses this user exists.
            return error.code != ECONNREFUSED && error.code != ENOENT
        }
    }
}
