// SPDX-License-Identifier: Apache-2.0

/// The differences in the configured folders since the subscriber's last event, or every name in a current state.
public struct Folders: Sendable, Hashable {
    /// A file that was in the folder and has another name now.
    public struct Rename: Sendable, Hashable, Codable {
        /// The name that the subscriber knows.
        public var from: String
        /// The name now.
        public var to: String

        /// Creates a rename.
        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// The differences in one folder.
    ///
    /// Names are sorted by their bytes. In a name, `\xHH` stands for a byte that is not UTF-8 or belongs to a control
    /// character, and `\\` for a backslash. Subfolders and links are names like others, and are not followed.
    public struct Folder: Sendable, Hashable {
        /// The folder's name in the configuration.
        public var name: String
        /// The path of the folder, without following links.
        public var path: String
        /// The names that are new; in a current state and after a rescan, all names.
        public var added: [String] = []
        /// The names that have gone.
        public var removed: [String] = []
        /// The names of the files that were written or replaced.
        public var changed: [String] = []
        /// The files whose names changed; files that also changed are in ``changed`` with their new names.
        public var renamed: [Rename] = []
        /// Whether the differences are unknown or too many, or the names too many for one event.
        ///
        /// ``added`` then contains all names that fit. The folder itself has the rest.
        public var isRescan = false

        /// Creates a folder without differences.
        public init(name: String, path: String) {
            self.name = name
            self.path = path
        }
    }

    /// The folders that have differences, in the order of their names.
    public var folders: [Folder]
    /// All folders with their entries, as watchers report them; events have none.
    package var listings: [FolderListing] = []

    /// Creates the differences of some folders.
    public init(folders: [Folder]) {
        self.folders = folders
    }

    package init(listings: [FolderListing]) {
        folders = []
        self.listings = listings.sorted { $0.place < $1.place }
    }
}

extension Folders.Folder {
    /// Whether nothing is different.
    var isEmpty: Bool { !isRescan && added.isEmpty && removed.isEmpty && changed.isEmpty && renamed.isEmpty }

    /// The approximate size in bytes of all names in an event.
    var size: Int {
        let names = [added, removed, changed, renamed.map(\.from), renamed.map(\.to)].joined()
        return names.reduce(name.utf8.count + path.utf8.count) { $0 + Self.size(of: $1) }
    }

    /// Returns the approximate size of a name in a JSON array, where quotation marks and backslashes are escaped.
    static func size(of name: String) -> Int {
        let separators = 3
        return name.utf8.reduce(separators) {
            $0 + ($1 == UInt8(ascii: "\\") || $1 == UInt8(ascii: "\"") ? 2 : 1)
        }
    }

    /// The differences as words: `+new`, `~changed`, `-removed` and `old→new`.
    public var words: [String] {
        added.map { "+" + $0 } + changed.map { "~" + $0 } + removed.map { "-" + $0 }
            + renamed.map { "\($0.from)→\($0.to)" }
    }
}

extension Folders.Folder: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, path, added, removed, changed, renamed
        case isRescan = "rescan"
    }
}

extension Folders: Codable {
    private enum CodingKeys: CodingKey {
        case folders
    }
}

extension Folders: AspectDeclaration {
    /// The number of differences of a folder that are named before the rest is counted.
    private static let namedDifferences = 8

    /// The differences: `documents: +new ~changed -removed old→new`.
    public var description: String {
        guard !folders.isEmpty else { return "no changes" }
        return folders.map { folder in
            let words = folder.words
            let shown = words.prefix(Self.namedDifferences).joined(separator: " ")
            let more = words.count > Self.namedDifferences ? " and \(words.count - Self.namedDifferences) more" : ""
            let head = folder.isRescan ? "\(folder.name) (rescan)" : folder.name
            return words.isEmpty ? "\(head): empty" : "\(head): \(shown)\(more)"
        }.joined(separator: "; ")
    }

    package static var traits: AspectTraits {
        AspectTraits(sampling: .always, isReportedInParts: true, isPostable: false, place: 12)
    }
    @usableFromInline package static var blank: Folders { Folders(folders: []) }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.records("folders", &folders)
    }
}

extension Folders.Folder: Record {
    @usableFromInline package static var blank: Folders.Folder { Folders.Folder(name: "", path: "") }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("name", &name)
        try coder.string("path", &path)
        try coder.strings("added", &added)
        coder.accepts("a list of names")
        try coder.strings("removed", &removed)
        coder.accepts("a list of names")
        try coder.strings("changed", &changed)
        coder.accepts("a list of names")
        try coder.records("renamed", &renamed)
        try coder.bool("rescan", &isRescan)
    }
}

extension Folders.Rename: Record {
    @usableFromInline package static var blank: Folders.Rename { Folders.Rename(from: "", to: "") }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("from", &from)
        try coder.string("to", &to)
    }
}
