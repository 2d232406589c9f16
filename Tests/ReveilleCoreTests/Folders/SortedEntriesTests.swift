// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

@Suite struct SortedEntriesTests {
    private func entry(_ name: String, identity: UInt64 = 1) -> FolderEntry {
        FolderEntry(name: EntryName(escaped: name), identity: identity, stamp: 2)
    }

    @Test("names are sorted by their bytes", arguments: ["", "IMG_2026", "a long beginning that all names have "])
    func namesAreSorted(beginning: String) {
        let endings =
            (0..<1_000).map { String($0 * 7_919 % 1_000) } + ["", "1 ", "\u{e9}", "e\u{301}", "ab", "a", "abcdefghi"]
        for count in [0, 1, 2, 63, 64, 65, 129, endings.count] {
            let names = endings.suffix(count).map { beginning + $0 }
            let sorted = SortedEntries(names.map { entry($0) })
            let expected = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(sorted.entries.map { Array($0.name.text.utf8) } == expected)
        }
    }

    @Test("of several entries with one name, one remains") func namesAreUnique() {
        let sorted = SortedEntries([entry("b"), entry("a", identity: 1), entry("a", identity: 2)])
        #expect(sorted.entries.map(\.name.text) == ["a", "b"])
        #expect(sorted.digest == SortedEntries(sorted.entries).digest)
    }

    @Test("entries in another order are equal to sorted ones, and others are not") func orderDoesNotMatter() {
        let sorted = SortedEntries([entry("a"), entry("b")])
        var sorting = EntrySorting()
        sorting.append(entry("b"))
        #expect(!sorting.isEqual(to: sorted))
        sorting.append(entry("a"))
        #expect(sorting.isEqual(to: sorted))
        sorting.append(entry("c"))
        #expect(!sorting.isEqual(to: sorted))
    }

    @Test func entryIsFoundByItsName() {
        let sorted = SortedEntries((0..<100).map { entry("f\($0)", identity: $0) })
        #expect((0..<UInt64(100)).allSatisfy { sorted.entry(named: EntryName(escaped: "f\($0)"))?.identity == $0 })
        #expect(sorted.entry(named: EntryName(escaped: "f")) == nil)
        #expect(sorted.entry(named: EntryName(escaped: "g")) == nil)
    }
}
