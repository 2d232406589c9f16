// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The bus to which programs publish what is personal: the user's own, since every user can read the system bus.
package enum OwnBus {
    /// Returns the address that was given, in the environment if not by an option, or that of the user's bus.
    ///
    /// - Throws: `Failure` as root without an address, since the bus of root is the system bus.
    package static func address(_ option: String?) throws(Failure) -> String {
        if let address = option ?? Environment["REVEILLE_ADDRESS"] { return address }
        guard geteuid() != 0 else {
            throw Failure(
                .usage, "the bus of root is the system bus, which every user can read; name it with --address")
        }
        return "unix:\(Environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(geteuid())")/reveille/org.reveille.Bus"
    }
}
