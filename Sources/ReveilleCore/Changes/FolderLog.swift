// SPDX-License-Identifier: Apache-2.0

/// The changes of the names in one folder, from which each subscriber gets the difference from its last seen state.
///
/// A name has lives, each from its birth to its death. A subscriber saw the life that its generation is in, so the log
/// keeps no listing for any subscriber. Names that never changed are not recorded.
struct FolderLog {
    /// The number of lives of a name that are kept, the present one included.
    ///
    /// A name that comes and goes more often while a program sleeps is rare: saving a file under the same name is one
    /// life. A subscriber that is older than a dropped life gets all names.
    static let livesLimit = 4
    /// The number of removed names that are kept, more than a person removes at once; older subscribers get all names.
    static let removedLimit = 1_000

    /// A period during which a name was in the folder.
    private struct Life {
        /// The first generation with the name; 0 if it was there from the start.
        var birth = 0
        /// The first generation without the name.
        var death = Int.max
        /// The generation of the last change of the file.
        var changed = 0
        /// The generation when another file last took the name.
        var replaced = 0
        /// The identity and stamp of the file; after a death, the last known.
        var identity: UInt64
        var stamp: UInt64

        init(_ entry: FolderEntry) {
            (identity, stamp) = (entry.identity, entry.stamp)
        }

        func contains(_ generation: Int) -> Bool { birth <= generation && generation < death }
    }

    /// The entries now; none after the folder left the configuration.
    private(set) var listing: FolderListing
    /// The generation of the last change.
    private(set) var changed: Int
    /// Subscribers that are older than this generation get all names.
    private var forgottenThrough: Int
    /// The lives of each name that changed, oldest first.
    private var lives: [EntryName: [Life]] = [:]
    /// Removed names in the order of removal; some may have come back.
    private var removed: [(name: EntryName, generation: Int)] = []

    /// Creates the log of a folder whose earlier changes are unknown.
    init(_ listing: FolderListing, at generation: Int) {
        self.listing = listing
        changed = generation
        forgottenThrough = generation
    }

    /// Forgets all changes: every older subscriber gets all names.
    mutating func restart(from listing: FolderListing, at generation: Int) {
        self = FolderLog(listing, at: generation)
    }

    mutating func record(_ new: FolderListing, at generation: Int) {
        guard !listing.isCut, !new.isCut else { return restart(from: new, at: generation) }
        let old = listing.entries
        (listing, changed) = (new, generation)
        var (before, after) = (0, 0)
        while before < old.count || after < new.entries.count {
            if before < old.count, after < new.entries.count, old[before] == new.entries[after] {
                (before, after) = (before + 1, after + 1)
            } else if after == new.entries.count || before < old.count && old[before].name < new.entries[after].name {
                bury(old[before], at: generation)
                before += 1
            } else if before == old.count || new.entries[after].name < old[before].name {
                bear(new.entries[after], at: generation)
                after += 1
            } else {
                change(old[before], to: new.entries[after], at: generation)
                (before, after) = (before + 1, after + 1)
            }
        }
        forget()
    }

    private mutating func bury(_ entry: FolderEntry, at generation: Int) {
        var all = lives[entry.name] ?? [Life(entry)]
        all[all.count - 1].death = generation
        lives[entry.name] = all
        removed.append((entry.name, generation))
    }

    private mutating func bear(_ entry: FolderEntry, at generation: Int) {
        var life = Life(entry)
        (life.birth, life.changed, life.replaced) = (generation, generation, generation)
        var all = lives[entry.name] ?? []
        all.append(life)
        if all.count > Self.livesLimit { forgottenThrough = max(forgottenThrough, all.removeFirst().death) }
        lives[entry.name] = all
    }

    private mutating func change(_ old: FolderEntry, to new: FolderEntry, at generation: Int) {
        var all = lives[old.name] ?? [Life(old)]
        var life = all.removeLast()
        life.changed = generation
        if new.identity != old.identity { life.replaced = generation }
        (life.identity, life.stamp) = (new.identity, new.stamp)
        lives[old.name] = all + [life]
    }

    private mutating func forget() {
        guard removed.count > Self.removedLimit else { return }
        for (name, generation) in removed.prefix(removed.count - Self.removedLimit) {
            // A name that came back is alive, or has a later death if it was removed again.
            guard lives[name]?.last?.death == generation else { continue }
            lives[name] = nil
            forgottenThrough = max(forgottenThrough, generation)
        }
        removed.removeFirst(removed.count - Self.removedLimit)
    }

    // MARK: - Differences

    /// All names, for a current state and for subscribers that have to look again.
    var state: Folders.Folder {
        var folder = Folders.Folder(name: listing.name, path: listing.path)
        folder.added = listing.entries.map(\.name.text)
        folder.isRescan = listing.isCut
        return folder
    }

    /// All names, with the advice to look again.
    var rescan: Folders.Folder {
        var folder = state
        folder.isRescan = true
        return folder
    }

    func difference(since generation: Int) -> Folders.Folder {
        guard generation >= forgottenThrough, !listing.isCut else { return rescan }
        var added: [FolderEntry] = []
        var removed: [(name: EntryName, life: Life)] = []
        var changed: [EntryName] = []
        for (name, all) in lives {
            let seen = all.last { $0.contains(generation) }
            let now = all.last.flatMap { $0.death == .max ? $0 : nil }
            switch (seen, now) {
            case (nil, nil): break
            case (nil, let now?):
                added.append(FolderEntry(name: name, identity: now.identity, stamp: now.stamp))
            case (let seen?, nil):
                removed.append((name, seen))
            case (let seen?, let now?):
                let isSame = seen.changed <= generation && seen.identity == now.identity && seen.stamp == now.stamp
                if !isSame { changed.append(name) }
            }
        }
        return difference(added.sorted { $0.name < $1.name }, removed.sorted { $0.name < $1.name }, changed, generation)
    }

    /// Finds renamed files among the added and removed names.
    private func difference(
        _ added: [FolderEntry], _ removed: [(name: EntryName, life: Life)], _ changed: [EntryName], _ generation: Int
    ) -> Folders.Folder {
        var changed = changed
        var places: [UInt64: [Int]] = [:]
        for (place, entry) in added.enumerated().reversed() { places[entry.identity, default: []].append(place) }
        var sources: [Int: EntryName] = [:]
        var gone: [EntryName] = []
        for (name, life) in removed {
            guard life.replaced <= generation, let place = places[life.identity]?.popLast() else {
                gone.append(name)
                continue
            }
            sources[place] = name
            if life.changed > generation || life.stamp != added[place].stamp { changed.append(added[place].name) }
        }
        var folder = Folders.Folder(name: listing.name, path: listing.path)
        folder.removed = gone.map(\.text)
        folder.changed = changed.sorted().map(\.text)
        for (place, entry) in added.enumerated() {
            if let source = sources[place] {
                folder.renamed.append(Folders.Rename(from: source.text, to: entry.name.text))
            } else {
                folder.added.append(entry.name.text)
            }
        }
        return folder
    }
}
