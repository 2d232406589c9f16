// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Which keys of one settings domain an event is about.
public struct SettingsChange: Sendable, Hashable {
    /// The domain's name.
    public var domain: String
    /// The domain's file.
    public var path: String
    /// The keys added, changed or removed, sorted.
    public var keys: [String]
    /// The format is not read, only that the file changed.
    public var isOpaque: Bool

    /// The bytes of all names.
    static func size(of changes: [SettingsChange]) -> Int {
        changes.reduce(0) { size, change in
            change.keys.reduce(size + change.domain.utf8.count + change.path.utf8.count) { $0 + $1.utf8.count }
        }
    }
}

/// What differs for settings, whose events list the keys that changed; see ``Aspect/isReportedInParts``.
extension Reading {
    /// Every key of every domain, as the event of a current state lists them; empty for every other aspect.
    package var settings: [SettingsChange] {
        (defaults?.domains ?? []).map {
            SettingsChange(domain: $0.name, path: $0.path, keys: $0.keys, isOpaque: $0.isOpaque)
        }
    }

    /// Stands for settings that are not kept, the same for equal ones; `nil` for every other aspect.
    package var digest: UInt64? { defaults?.digest }

    /// Returns the reading of an event that stands for this reading and a later one: of settings the keys of both, of
    /// every other aspect the later one.
    func merged(with later: Reading) -> Reading {
        guard let earlier = defaults, let now = later.defaults else { return later }
        return .defaults(earlier.merged(with: now))
    }
}

extension Defaults {
    /// The same for equal settings, also in another process.
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
                return sum &+ digest.value
            }
        }
    }

    /// The domains of both, with the keys of both; of a domain that is in both, the later state counts.
    fileprivate func merged(with later: Defaults) -> Defaults {
        var byPath = Dictionary(domains.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        for var domain in later.domains {
            if let earlier = byPath[domain.path], !domain.isOpaque {
                domain.values.merge(earlier.values) { now, _ in now }
            }
            byPath[domain.path] = domain
        }
        return Defaults(domains: Array(byPath.values))
    }
}
