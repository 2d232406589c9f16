// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

package struct ConfiguredFolder: Sendable, Hashable {
    /// The maximum number of folders, which limits the memory for their names to a few megabytes.
    package static let limit = 16
    /// The maximum length of a folder's name in bytes: a word.
    package static let nameLimit = 64

    /// The name under which events list the folder.
    package var name: String
    /// The path, absolute, or below home as `~/…`.
    package var path: String

    package init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// A folder as it was last scanned.
struct WatchedFolder {
    /// The path of the folder, without the root and without following links.
    let path: String
    /// The last listing that counts.
    private(set) var listing: FolderListing
    var settling: FolderSettling
    /// Whether the names were asked for, so that nothing delays them.
    var isAsked = false
    /// Where the path led at the last scan.
    private(set) var way: PathChain?
    /// The current problem, in one line.
    private(set) var problem: String?
    private var reported: String?
    /// Whether the problem is that there are too many names.
    private var isCountProblem = false
    private var wasCountProblem = false
    /// The directory of the listing.
    private var directory: DirectoryScan.Identity?
    private var wasScanned = false
    /// The number of scans of a folder with too many names that followed a change.
    private var looks: UInt64 = 0

    init(_ folder: ConfiguredFolder, settings: FileSettings) {
        path = ConfiguredPath.expanded(folder.path, home: settings.home)
        listing = FolderListing(name: folder.name, path: settings.root + path, entries: [])
        settling = FolderSettling(
            timing: FileSettling.Timing(readDelay: settings.settle, deletionGrace: settings.deletionGrace))
    }

    mutating func scan(root: String, at now: Instant) -> FolderScan {
        settling.begin(at: now)
        let way = PathChain(following: path, root: root)
        self.way = way
        return FolderScan(of: way, known: listing.sorted)
    }

    /// Takes the result of a scan, if it counts, and returns whether the listing is new.
    mutating func take(_ outcome: FolderScan.Outcome, start: Instant, at now: Instant) -> Bool {
        let isAsked = isAsked || !wasScanned
        guard isAsked || !settling.isOutdated(at: now) else { return false }
        self.isAsked = false
        let found: FolderSettling.Outcome
        switch outcome {
        case .entries(_, _, let status): found = wasScanned && status.identity != directory ? .other : .same
        case .missing: found = .other
        case .failed(let reason):
            (problem, isCountProblem) = (reason, false)
            found = .failed
        }
        guard settling.judge(found, start: start, at: now, asked: isAsked) else { return false }
        wasScanned = true
        let old = listing
        switch outcome {
        case .failed: break
        case .missing(let reason):
            (problem, isCountProblem, directory) = (reason, false, nil)
            listing = FolderListing(name: old.name, path: old.path, entries: [])
        case .entries(let sorted, let count, let status):
            directory = status.identity
            listing =
                count > FolderListing.nameLimit
                ? cut(sorted, count, status, isAsked: isAsked) : settled(sorted, isAsked: isAsked)
            isCountProblem = listing.isCut
            problem = isCountProblem ? Self.cutProblem(count) : nil
        }
        return listing != old
    }

    /// The listing of a folder with too many names; it differs after each change.
    private mutating func cut(
        _ sorted: SortedEntries, _ count: Int, _ status: DirectoryScan.Status, isAsked: Bool
    ) -> FolderListing {
        if !isAsked { looks += 1 }
        return FolderListing(
            name: listing.name, path: listing.path, sorted: sorted,
            version: UInt64(bitPattern: status.modified) &+ UInt64(count) &+ looks)
    }

    /// The listing, with the last state of files that are being written.
    private func settled(_ sorted: SortedEntries, isAsked: Bool) -> FolderListing {
        guard !isAsked, settling.isWriting, !listing.isCut else {
            return FolderListing(name: listing.name, path: listing.path, sorted: sorted)
        }
        return FolderListing(
            name: listing.name, path: listing.path,
            entries: sorted.entries.compactMap {
                settling.isBeingWritten($0.name) ? listing.sorted.entry(named: $0.name) : $0
            })
    }

    private static func cutProblem(_ count: Int) -> String {
        let all = count < FolderScan.countLimit ? "\(count)" : "at least \(count)"
        let unlisted = count < FolderScan.countLimit ? "\(count - FolderListing.nameLimit)" : "the others"
        return """
            has \(all) names, more than the limit of \(FolderListing.nameLimit); changes are reported without names, \
            and \(unlisted) are not listed
            """
    }

    /// Returns the problem if it is new; the number of too many names is not.
    mutating func newProblem() -> String? {
        defer { (reported, wasCountProblem) = (problem, isCountProblem) }
        return problem == reported || wasCountProblem && isCountProblem ? nil : problem
    }
}
