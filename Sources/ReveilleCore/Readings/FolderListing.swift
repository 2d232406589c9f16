// SPDX-License-Identifier: Apache-2.0

package struct FolderEntry: Sendable, Hashable {
    package var name: EntryName
    /// A digest that stays the same when the file is renamed, and that no other file has.
    package var identity: UInt64
    /// A digest of the file's type, size and time of modification.
    package var stamp: UInt64

    package init(name: EntryName, identity: UInt64, stamp: UInt64) {
        self.name = name
        self.identity = identity
        self.stamp = stamp
    }
}

/// The entries of a folder at one moment.
package struct FolderListing: Sendable, Hashable {
    /// The maximum number of names to report from one folder.
    ///
    /// People put hundreds of documents into a folder. The names of 10,000 files take about 200 kilobytes, and looking at
    /// them takes some milliseconds.
    package static let nameLimit = 10_000

    /// The identity of a folder.
    struct Place: Hashable, Comparable {
        let name: String
        let path: String

        static func < (lhs: Place, rhs: Place) -> Bool {
            (lhs.name, lhs.path) < (rhs.name, rhs.path)
        }
    }

    package let name: String
    /// The path of the folder, without following links.
    package let path: String
    /// The entries, at most ``nameLimit``.
    package let sorted: SortedEntries
    /// For a folder with too many names, a number that differs after each change; otherwise `nil`.
    package let version: UInt64?
    /// A digest that is the same for equal listings and stays the same across restarts.
    package let digest: UInt64

    package init(name: String, path: String, sorted: SortedEntries, version: UInt64? = nil) {
        self.name = name
        self.path = path
        self.sorted = sorted
        self.version = version
        var start = Digest()
        start.combine(text: name)
        start.combine(text: path)
        start.combine(version ?? 0)
        digest = start.value &+ sorted.digest
    }

    /// Creates a listing of entries in any order.
    package init(name: String, path: String, entries: [FolderEntry], version: UInt64? = nil) {
        self.init(name: name, path: path, sorted: SortedEntries(entries), version: version)
    }

    /// The entries, sorted by name.
    package var entries: [FolderEntry] { sorted.entries }
    var place: Place { Place(name: name, path: path) }
    /// Whether the folder has more names than are reported.
    package var isCut: Bool { version != nil }

    /// Returns whether two listings have equal digests; this is fast for any number of entries.
    package static func == (lhs: FolderListing, rhs: FolderListing) -> Bool {
        lhs.digest == rhs.digest && lhs.place == rhs.place && lhs.version == rhs.version
            && lhs.entries.count == rhs.entries.count
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

extension Folders {
    /// A digest that is the same for equal states and stays the same across restarts.
    package var digest: UInt64 {
        listings.reduce(UInt64(listings.count)) { $0 &* 31 &+ $1.digest }
    }

    /// The approximate size of the state in a file, in bytes.
    package var size: Int {
        let numbers = 44
        return listings.reduce(0) { size, listing in
            listing.entries.reduce(size + listing.path.utf8.count) { $0 + $1.name.text.utf8.count + numbers }
        }
    }
}
