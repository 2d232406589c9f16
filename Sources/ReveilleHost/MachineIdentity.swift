// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
package import ReveilleSystem

/// The identity of this machine for others.
package enum MachineIdentity {
    /// A random constant that is Reveille's alone, so that other programs make other identities of the same machine.
    private static let application = sd_id128_t(
        bytes: (
            0x7c, 0x37, 0x1e, 0xe7, 0x06, 0xa7, 0x85, 0x55, 0x47, 0x25, 0x47, 0x77, 0x41, 0x7d, 0x43, 0x72
        ))

    /// Returns 32 hexadecimal digits that identify this machine, and do not reveal its machine-id(5).
    package static func forNetworks() throws(SystemError) -> String {
        var id = sd_id128_t()
        let result = sd_id128_get_machine_app_specific(application, &id)
        guard result >= 0 else { throw SystemError("sd_id128_get_machine_app_specific", on: nil, code: -result) }
        return withUnsafeBytes(of: id) { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}

/// The names of the host and of the kernel's release (uname(2)).
package struct SystemName: Sendable, Hashable {
    package let host: String
    package let release: String

    package init() {
        var name = utsname()
        // It fails only for an invalid pointer.
        uname(&name)
        host = Self.text(&name.nodename)
        release = Self.text(&name.release)
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
