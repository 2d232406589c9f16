// SPDX-License-Identifier: Apache-2.0

/// The keys of a settings domain that changed.
@usableFromInline
package struct SettingsChange: Sendable, Hashable {
    /// The domain's name.
    @usableFromInline package var domain: String
    /// The path of the domain's file.
    @usableFromInline package var path: String
    /// The keys that were added, changed or removed, sorted.
    @usableFromInline package var keys: [String]
    /// Whether only the change itself is known: the file has an unknown format, or its keys do not fit into an event.
    @usableFromInline package var isOpaque: Bool

    /// Returns the total size of all names in bytes.
    static func size(of changes: [SettingsChange]) -> Int {
        changes.reduce(0) { size, change in
            change.keys.reduce(size + change.domain.utf8.count + change.path.utf8.count) { $0 + $1.utf8.count }
        }
    }
}

extension [SettingsChange] {
    /// The domains of one event, with as many of their keys as fit into a reply; the largest domains count as opaque.
    var fitting: [SettingsChange] {
        guard SettingsChange.size(of: self) > Bus.replySize else { return self }
        var fitting = map(\.withoutKeys)
        var rest = Bus.replySize - SettingsChange.size(of: fitting)
        let sizes = map { SettingsChange.size(of: [$0]) - SettingsChange.size(of: [$0.withoutKeys]) }
        for index in indices.sorted(by: { (sizes[$0], $0) < (sizes[$1], $1) }) {
            rest -= sizes[index]
            guard rest >= 0 else { break }
            fitting[index] = self[index]
        }
        return fitting
    }
}

extension SettingsChange {
    fileprivate var withoutKeys: SettingsChange {
        SettingsChange(domain: domain, path: path, keys: [], isOpaque: true)
    }
}

extension SettingsChange: Codable {
    private enum CodingKeys: String, CodingKey {
        case domain, path, keys
        case isOpaque = "opaque"
    }

    /// Lists all keys of a domain.
    init(_ domain: Defaults.Domain) {
        self.init(domain: domain.name, path: domain.path, keys: domain.keys, isOpaque: domain.isOpaque)
    }
}

extension Reading {
    /// All keys of all domains, as in the event of a current state; empty for other aspects.
    @usableFromInline package var settings: [SettingsChange] {
        (defaults?.domains ?? []).map(SettingsChange.init)
    }

    /// The digest of settings or folders; `nil` for other aspects.
    package var digest: UInt64? {
        switch self {
        case .defaults(let defaults): defaults.digest
        case .folders(let folders): folders.digest
        default: nil
        }
    }

    /// The reading of a merged event: the later reading, with the keys or the differences of both.
    func merged(with later: Reading) -> Reading {
        switch (self, later) {
        case (.defaults(let earlier), .defaults(let now)): .defaults(earlier.merged(with: now))
        case (.folders(let earlier), .folders(let now)): .folders(earlier.merged(with: now))
        default: later
        }
    }
}

extension Defaults {
    /// A digest that is the same for equal settings and stays the same across restarts.
    package var digest: UInt64 {
        // A sum, since keys have no order.
        domains.reduce(UInt64(domains.count)) { sum, domain in
            var start = Digest()
            start.combine(text: domain.path)
            start.combine(kind: domain.isOpaque ? 1 : 0)
            return domain.values.reduce(sum &+ start.value) { sum, value in
                var digest = start
                digest.combine(text: value.key)
                digest.combine(value.value)
                return sum &+ digest.scrambled
            }
        }
    }

    /// The domains, by the bytes of their paths: equal strings can differ in their Unicode normalization.
    var domainsByPath: [[UInt8]: Domain] {
        Dictionary(domains.map { (Array($0.path.utf8), $0) }, uniquingKeysWith: { $1 })
    }

    /// The domains and keys of both readings; the later reading determines the state of common ones.
    fileprivate func merged(with later: Defaults) -> Defaults {
        var byPath = domainsByPath
        for var domain in later.domains {
            let path = Array(domain.path.utf8)
            if let earlier = byPath[path], !domain.isOpaque {
                domain.values.merge(earlier.values) { now, _ in now }
            }
            byPath[path] = domain
        }
        return Defaults(domains: Array(byPath.values))
    }
}
