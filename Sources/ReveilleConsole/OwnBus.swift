// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
package import ReveilleSystem

/// The bus to which programs publish personal states: the user's own, since every user can read the system bus.
package struct OwnBus: ParsableArguments {
    @Option(
        help: """
            The address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's bus. A system bus must be \
            named, because every user can read it.
            """)
    private var address: String?

    package init() {}

    /// Returns the address that was given, in the environment if not by an option, or that of the user's bus.
    ///
    /// - Throws: `Failure` as root without an address, since the bus of root is the system bus.
    package func resolvedAddress() throws(Failure) -> String {
        if let address = address ?? Environment["REVEILLE_ADDRESS"] { return address }
        guard geteuid() != 0 else {
            throw Failure(
                .usage, "the bus of root is the system bus, which every user can read; name it with --address")
        }
        return "unix:" + UnixAddress.ownBusPath
    }

    /// Refuses a second program of a name on the bus: each would withdraw the other's states.
    ///
    /// `nil` on another user's bus, beside which this program can create no file.
    package func lock(_ program: String) throws -> FileLock? {
        let address = try UnixAddress(try resolvedAddress())
        let directory = address.path.prefix(upTo: address.path.lastIndex(of: "/") ?? address.path.startIndex)
        guard access(String(directory), W_OK) == 0 else { return nil }
        return try FileLock.alone("\(address.path).\(program)", "another \(program)", "publishes on \(address)")
    }
}
