// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import Glibc
import ReveilleSystem

/// Where the bus is.
struct BusOptions: ParsableArguments {
    @Option(help: "Address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's own bus.")
    var address: String?

    /// Where the bus of the whole machine is.
    static let systemPath = "/run/reveille/org.reveille.Bus"

    /// The address that was given, or the usual one.
    func resolved() throws(Failure) -> UnixAddress {
        let usual = address == nil ? try BusOptions.usual() : ""
        do throws(UnixAddress.Invalid) {
            return try UnixAddress(address ?? usual)
        } catch {
            throw Failure(.usage, error.description)
        }
    }

    /// `/run/reveille` for root, the user's runtime directory for everyone else.
    private static func usual() throws(Failure) -> String {
        if let address = Environment["REVEILLE_ADDRESS"] { return address }
        if geteuid() == 0 { return "unix:" + systemPath }
        guard let directory = Environment["XDG_RUNTIME_DIR"] else {
            throw Failure(.usage, "XDG_RUNTIME_DIR is not set; name a bus with --address or REVEILLE_ADDRESS")
        }
        return "unix:\(directory)/reveille/org.reveille.Bus"
    }
}

/// The environment's variables; one that is empty is as good as none.
enum Environment {
    static subscript(name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
