// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Defaults`, which lists keys; the values of settings are not on the wire.
struct ListedSettings: WireStructure {
    let domains: [SettingsChange]

    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.domains, domains)
    }
}

/// The interface's structure `DefaultsDomain`.
extension SettingsChange: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.domain, domain)
        fields.add(.path, path)
        fields.add(.keys, keys)
        fields.add(.opaque, isOpaque)
    }
}

extension Defaults {
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
