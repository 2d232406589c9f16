// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structures `Defaults` and `DefaultsDomain`.
extension Defaults {
    /// The structure that lists these keys; the values of settings are not on the wire.
    static func structure(of settings: [SettingsChange]) -> JSON {
        let domains = settings.map { change in
            JSON.object([
                "domain": .string(change.domain),
                "path": .string(change.path),
                "keys": .array(change.keys.map { .string($0) }),
                "opaque": .bool(change.isOpaque),
            ])
        }
        return .object(["domains": .array(domains)])
    }

    /// Reads the keys; all get the same fingerprint.
    init(_ fields: Fields) throws(CallError) {
        var domains: [Defaults.Domain] = []
        var paths: Set<String> = []
        for domain in try fields.structures("domains") {
            let isOpaque = try domain.bool("opaque")
            let keys = isOpaque ? [""] : try domain.strings("keys")
            let path = try domain.string("path")
            guard paths.insert(path).inserted else { throw domain.invalid("path") }
            domains.append(
                Defaults.Domain(
                    name: try domain.string("domain"), path: path,
                    values: Dictionary(keys.map { ($0, 0) }, uniquingKeysWith: { first, _ in first }),
                    isOpaque: isOpaque))
        }
        self.init(domains: domains)
    }
}
