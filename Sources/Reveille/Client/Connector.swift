// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
package import ReveilleLink
package import ReveilleSystem

extension Connector {
    /// Creates a connector that looks for the bus of an address, by default the usual one, at each connection.
    package init(loop: any Loop, address: String?) throws(ReveilleError) {
        let candidates = try BusAddress.candidates(address)
        self.init(loop: loop) { () throws(LinkFailure) in try Self.open(try BusAddress.present(candidates)) }
    }
}

package enum BusAddress {
    typealias Candidates = (addresses: [UnixAddress], areGiven: Bool)

    /// Returns the address of the bus to connect to.
    ///
    /// An address that is given, here (`unix:PATH`) or in `$REVEILLE_ADDRESS`, is the only candidate. Otherwise it is the
    /// user's own bus or, if nothing serves that, the machine's bus; root uses the machine's bus only.
    package static func resolve(_ text: String?) throws(ReveilleError) -> UnixAddress {
        let candidates = try candidates(text)
        return try Result { () throws(LinkFailure) in try present(candidates) }.mapError { ReveilleError($0) }.get()
    }

    /// Returns the first address that a bus serves.
    static func present(_ candidates: Candidates) throws(LinkFailure) -> UnixAddress {
        let present = candidates.addresses.filter { candidates.areGiven || access($0.path, F_OK) == 0 }
        // A single candidate need not be tried: connecting to it reports any error.
        if present.count == 1 { return present[0] }
        if let address = present.first(where: isServed) ?? present.first { return address }
        throw .absent(candidates.addresses.map(\.description).joined(separator: " or "))
    }

    /// Returns the address to serve: the given address (`unix:PATH`), otherwise the user's own; for root, the machine's.
    package static func toServe(_ text: String?) throws(ReveilleError) -> UnixAddress {
        try candidates(text).addresses[0]
    }

    /// The addresses where the bus may be: the given one, otherwise the usual ones, the user's own first.
    static func candidates(_ text: String?) throws(ReveilleError) -> Candidates {
        if let text = text ?? Environment["REVEILLE_ADDRESS"] { return ([try parse(text)], areGiven: true) }
        let (own, system) = (UnixAddress.ownBusPath, UnixAddress.systemBusPath)
        let addresses = try (own == system ? [system] : [own, system]).map { path throws(ReveilleError) in
            try parse("unix:" + path)
        }
        return (addresses, areGiven: false)
    }

    private static func parse(_ text: String) throws(ReveilleError) -> UnixAddress {
        try Result { () throws(UnixAddress.Invalid) in try UnixAddress(text) }
            .mapError { ReveilleError(.invalidArgument, $0.description) }.get()
    }

    /// Whether a process listens: a bus that was killed leaves its socket behind.
    private static func isServed(_ address: UnixAddress) -> Bool {
        do throws(SystemError) {
            _ = try UnixStream(connectingTo: address, atMost: .zero)
            return true
        } catch {
            // A bus that is busy or refuses this user exists.
            return error.code != ECONNREFUSED && error.code != ENOENT
        }
    }
}
