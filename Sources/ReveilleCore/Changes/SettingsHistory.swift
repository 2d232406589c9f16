// SPDX-License-Identifier: Apache-2.0

/// The last change of each settings key, from which events list the keys that changed since a subscriber last looked.
struct SettingsHistory {
    /// The largest number of removed keys and domains to keep: more than a program removes at once.
    ///
    /// A subscriber older than a dropped key gets all keys of the domain; older than a dropped domain, all keys.
    static let removedLimit = 1_000

    private struct Domain {
        var name: String
        let path: String
        var isOpaque: Bool
        /// The generation of the last change.
        var changed = 0
        /// The generation of each key's last change; keys that never changed are absent.
        var keys: [String: Int] = [:]
        /// The last generation whose changes of keys may be unknown.
        var forgottenThrough = 0
    }

    /// The domains, by the bytes of their paths.
    private var domains: [[UInt8]: Domain] = [:]
    /// The last generation whose changes of whole domains may be unknown.
    private var forgottenThrough = 0
    /// The largest `forgottenThrough` of all.
    private var lastForgotten = 0
    /// Removed keys, and domains with a `nil` key, in the order of removal; some may have been added again.
    private var removed: [(path: [UInt8], key: String?, generation: Int)] = []

    init(restoredAt generation: Int) {
        (forgottenThrough, lastForgotten) = (generation, generation)
    }

    /// Records a change, and returns the settings that it affects: every key, if it lists all, as for a posted state.
    mutating func record(from old: Defaults, to new: Defaults, generation: Int, listingAll: Bool) -> [SettingsChange] {
        let (before, after) = (old.domainsByPath, new.domainsByPath)
        var touched: [SettingsChange] = []
        let paths = Set(before.keys).union(after.keys).filter { path in
            listingAll && after[path] != nil || before[path] != after[path]
        }
        for path in paths.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let (old, new) = (before[path], after[path])
            guard let shown = new ?? old else { continue }
            var domain = domains[path] ?? Domain(name: shown.name, path: shown.path, isOpaque: shown.isOpaque)
            (domain.name, domain.isOpaque) = (shown.name, shown.isOpaque)
            domain.changed = generation
            var keys = (new?.values ?? [:]).compactMap { listingAll || old?.values[$0] != $1 ? $0 : nil }
            let removedKeys = (old?.values ?? [:]).keys.filter { new?.values[$0] == nil }
            keys += removedKeys
            for key in keys { domain.keys[key] = generation }
            removed += removedKeys.map { (path, $0, generation) }
            if new == nil { removed.append((path, nil, generation)) }
            domains[path] = domain
            touched.append(change(domain, keys: keys))
        }
        forget(in: after)
        return touched
    }

    func isComplete(since generation: Int) -> Bool { generation >= lastForgotten }

    func changes(since generation: Int, in defaults: Defaults) -> [SettingsChange] {
        var changes: [[UInt8]: SettingsChange] = [:]
        for (path, domain) in domains where domain.changed > generation {
            let keys = domain.keys.compactMap { $0.value > generation ? $0.key : nil }
            changes[path] = change(domain, keys: keys)
        }
        let forgotten = generation < lastForgotten ? defaults.domains : []
        for domain in forgotten {
            let path = Array(domain.path.utf8)
            guard generation < max(forgottenThrough, domains[path]?.forgottenThrough ?? 0) else { continue }
            let known = changes[path]?.keys ?? []
            changes[path] = SettingsChange(
                domain: domain.name, path: domain.path, keys: Set(known).union(domain.keys).sorted(),
                isOpaque: domain.isOpaque)
        }
        return changes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    private func change(_ domain: Domain, keys: [String]) -> SettingsChange {
        SettingsChange(
            domain: domain.name, path: domain.path, keys: domain.isOpaque ? [] : keys.filter { !$0.isEmpty }.sorted(),
            isOpaque: domain.isOpaque)
    }

    private mutating func forget(in now: [[UInt8]: Defaults.Domain]) {
        guard removed.count > Self.removedLimit else { return }
        for (path, key, generation) in removed.prefix(removed.count - Self.removedLimit) {
            // A key that was added again has a value, or a later generation if it was removed again.
            if let key {
                guard domains[path]?.keys[key] == generation, now[path]?.values[key] == nil else { continue }
                domains[path]?.keys[key] = nil
                domains[path]?.forgottenThrough = generation
            } else {
                guard domains[path]?.changed == generation, now[path] == nil else { continue }
                domains[path] = nil
                forgottenThrough = generation
            }
            lastForgotten = generation
        }
        removed.removeFirst(removed.count - Self.removedLimit)
    }
}
