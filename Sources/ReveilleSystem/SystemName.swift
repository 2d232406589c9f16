// SPDX-License-Identifier: Apache-2.0

import Glibc

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
