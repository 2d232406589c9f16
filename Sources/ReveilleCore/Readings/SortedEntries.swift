// SPDX-License-Identifier: Apache-2.0

/// The entries of a folder in the order of their names.
package struct SortedEntries: Sendable {
    /// The entries, each name once.
    package let entries: [FolderEntry]
    /// The sum of the digests of all entries, which does not depend on their order.
    let digest: UInt64

    /// Sorts entries; a changing folder may list a name several times, and one entry counts.
    package init(_ entries: [FolderEntry]) {
        var sorting = EntrySorting()
        for entry in entries { sorting.append(entry) }
        while sorting.advance() {}
        self = sorting.result
    }

    /// Takes sorted entries with the sum of their digests.
    fileprivate init(sorted: [FolderEntry], digest: UInt64) {
        entries = sorted
        self.digest = digest
    }

    package func entry(named name: EntryName) -> FolderEntry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].name == name ? entries[low] : nil
    }
}

/// Sorts the entries of a folder in steps, so that other work can be done in between.
///
/// It sorts keys, which need no reference counts, and compares whole names only if their keys are equal. The longest step
/// merges two halves of all keys.
package struct EntrySorting {
    /// The number of entries that a step sorts before any are merged.
    private static let runLength = 64

    private struct Key {
        /// The eight bytes of the name after ``EntrySorting/commonLength``.
        let word: UInt64
        let index: Int
    }

    private var entries: [FolderEntry] = []
    /// The length of the common prefix of all names, in bytes.
    private var commonLength = Int.max
    private var keys: [Key] = []
    /// The keys that have been merged in the current pass.
    private var merged: [Key] = []
    /// The length of the runs that are sorted; 0 before the first pass.
    private var sorted = 0
    /// The first key that the current pass has not reached.
    private var position = 0
    private var digest: UInt64 = 0

    package init() {}

    /// Adds an entry, before the first step.
    package mutating func append(_ entry: FolderEntry) {
        entries.append(entry)
        digest &+= entry.digest
        commonLength = min(commonLength, entry.name.commonLength(with: entries[0].name))
    }

    /// Returns whether the entries, in any order, are equal to sorted ones.
    package func isEqual(to other: SortedEntries) -> Bool {
        digest == other.digest && entries.count == other.entries.count
    }

    /// Takes a step, and returns whether there may be more.
    package mutating func advance() -> Bool {
        guard sorted < entries.count else { return false }
        sorted == 0 ? sortRun() : mergeRuns()
        return true
    }

    private mutating func sortRun() {
        let end = min(position + Self.runLength, entries.count)
        keys += (position..<end).map { Key(word: entries[$0].name.word(at: commonLength), index: $0) }
        keys[position..<end].sort { [entries] in Self.isOrdered($0, $1, entries) }
        position = end
        if position == entries.count { (sorted, position) = (Self.runLength, 0) }
    }

    private mutating func mergeRuns() {
        let middle = min(position + sorted, keys.count)
        let end = min(middle + sorted, keys.count)
        var (one, other) = (position, middle)
        while one < middle, other < end {
            if Self.isOrdered(keys[other], keys[one], entries) {
                merged.append(keys[other])
                other += 1
            } else {
                merged.append(keys[one])
                one += 1
            }
        }
        merged += keys[one..<middle]
        merged += keys[other..<end]
        position = end
        guard position == keys.count else { return }
        swap(&keys, &merged)
        merged.removeAll(keepingCapacity: true)
        (sorted, position) = (2 * sorted, 0)
    }

    private static func isOrdered(_ one: Key, _ other: Key, _ entries: [FolderEntry]) -> Bool {
        one.word == other.word ? entries[one.index].name < entries[other.index].name : one.word < other.word
    }

    /// The sorted entries, after the last step.
    package var result: SortedEntries {
        let all = keys.map { entries[$0.index] }
        let isDouble = all.indices.dropFirst().contains { all[$0].name == all[$0 - 1].name }
        guard isDouble else { return SortedEntries(sorted: all, digest: digest) }
        let kept = all.enumerated().filter { $0 == 0 || all[$0 - 1].name != $1.name }.map(\.element)
        return SortedEntries(sorted: kept, digest: kept.reduce(0) { $0 &+ $1.digest })
    }
}

extension FolderEntry {
    /// A digest that stays the same across restarts.
    fileprivate var digest: UInt64 {
        var digest = Digest()
        digest.combine(bytes: name.text.utf8)
        digest.combine(identity)
        digest.combine(stamp)
        return digest.scrambled
    }
}
