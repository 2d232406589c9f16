// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// When each settings key changed last, so that an event lists the keys newer than its subscriber.
struct SettingsHistory {
    /// How many removed keys and domains are remembered in all.
    ///
    /// Each costs memory for as long as it is remembered; a thousand is more than a program removes at once. An event
    /// for a subscriber from before a forgotten key lists all keys of the domain; from before a forgotten domain, all
    /// keys of all domains.
    static let removedLimit = 1_000

    private struct Domain {
        var name: String
        var isOpaque: Bool
        /// When anything of it changed.
        var changed = 0
        /// When each key changed; keys that never did are missing.
        var keys: [String: Int] = [:]
        /// Before this generation a key may have changed without being known.
        var forgottenThrough = 0
    }

    private var domains: [String: Domain] = [:]
    /// Before this generation a domain may have come and gone without being known.
    private var forgottenThrough = 0
    /// The newest `forgottenThrough` of all: nothing that is forgotten concerns a subscriber that has seen it.
    private var lastForgotten = 0
    /// Removed keys, and domains without a key, in the order of removal; one that came back may still be in it.
    private var removed: [(path: String, key: String?, generation: Int)] = []

    /// Makes the history of settings whose earlier changes are not known; of any other reading it stays empty.
    init(restoring reading: Reading, at generation: Int) {
        guard let defaults = reading.defaults else { return }
        lastForgotten = generation
        for domain in defaults.domains {
            domains[domain.path] = Domain(
                name: domain.name, isOpaque: domain.isOpaque, forgottenThrough: generation)
        }
    }

    /// Notes what differs between two readings.
    ///
    /// - Parameters:
    ///   - old: The reading before the change.
    ///   - new: The reading after it.
    ///   - generation: The generation of the change.
    ///   - listingAll: Every key of the new reading counts as changed, as in a posted state.
    /// - Returns: What this change alone touched; nothing for readings that are not settings.
    mutating func record(
        from old: Reading, to new: Reading, generation: Int, listingAll: Bool
    ) -> [SettingsChange] {
        guard let old = old.defaults, let new = new.defaults else { return [] }
        let before = Dictionary(old.domains.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        let after = Dictionary(new.domains.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        var touched: [SettingsChange] = []
        let paths = Set(before.keys).union(after.keys).filter { path in
            listingAll && after[path] != nil || before[path] != after[path]
        }
        for path in paths.sorted() {
            let old = before[path]
            let new = after[path]
            guard let shown = new ?? old else { continue }
            var domain = domains[path] ?? Domain(name: shown.name, isOpaque: shown.isOpaque)
            domain.name = shown.name
            domain.isOpaque = shown.isOpaque
            domain.changed = generation
            var keys: [String] = []
            for (key, value) in new?.values ?? [:] where listingAll || old?.values[key] != value {
                domain.keys[key] = generation
                keys.append(key)
            }
            for key in (old?.values ?? [:]).keys where new?.values[key] == nil {
                domain.keys[key] = generation
                keys.append(key)
                removed.append((path, key, generation))
            }
            if new == nil { removed.append((path, nil, generation)) }
            domains[path] = domain
            touched.append(change(path, domain, keys: keys))
        }
        forget(in: after)
        return touched
    }

    /// Returns what differs for a subscriber that has seen a generation; nothing for a reading that is not settings.
    func changes(since generation: Int, in reading: Reading) -> [SettingsChange] {
        guard let defaults = reading.defaults else { return [] }
        var changes: [String: SettingsChange] = [:]
        for (path, domain) in domains where domain.changed > generation {
            let keys = domain.keys.filter { $0.value > generation }.map(\.key)
            changes[path] = change(path, domain, keys: keys)
        }
        let forgotten = generation < lastForgotten ? defaults.domains : []
        for domain in forgotten where generation < max(forgottenThrough, domains[domain.path]?.forgottenThrough ?? 0) {
            let known = changes[domain.path]?.keys ?? []
            changes[domain.path] = SettingsChange(
                domain: domain.name, path: domain.path, keys: Set(known).union(domain.keys).sorted(),
                isOpaque: domain.isOpaque)
        }
        return changes.values.sorted { $0.path < $1.path }
    }

    private func change(_ path: String, _ domain: Domain, keys: [String]) -> SettingsChange {
        SettingsChange(
            domain: domain.name, path: path, keys: domain.isOpaque ? [] : keys.filter { !$0.isEmpty }.sorted(),
            isOpaque: domain.isOpaque)
    }

    private mutating func forget(in now: [String: Defaults.Domain]) {
        guard removed.count > Self.removedLimit else { return }
        for (path, key, generation) in removed.prefix(removed.count - Self.removedLimit) {
            // One that came back, or was removed again later, has a newer generation or a value.
            guard let key else {
                guard domains[path]?.changed == generation, now[path] == nil else { continue }
                domains[path] = nil
                forgottenThrough = generation
                lastForgotten = generation
                continue
            }
            guard domains[path]?.keys[key] == generation, now[path]?.values[key] == nil else { continue }
            domains[path]?.keys[key] = nil
            domains[path]?.forgottenThrough = generation
            lastForgotten = generation
        }
        removed.removeFirst(removed.count - Self.removedLimit)
    }
}
