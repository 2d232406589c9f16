// SPDX-License-Identifier: Apache-2.0

/// The changes of all folders, from which events list the differences from a subscriber's last seen state.
struct FolderHistory {
    /// The size limit in bytes of the names in one event, as for a reply.
    ///
    /// The lists of small folders are kept whole. Subscribers have to scan a folder again if its lists do not fit.
    static let sizeLimit = Bus.replySize

    private var logs: [FolderListing.Place: FolderLog] = [:]

    /// Creates the history of folders with unknown earlier changes.
    init(restoring folders: Folders, at generation: Int) {
        for listing in folders.listings { logs[listing.place] = FolderLog(listing, at: generation) }
    }

    /// Records a new state, and returns the differences from the previous state.
    mutating func record(_ new: Folders, generation: Int) -> [Folders.Folder] {
        for listing in new.listings where logs[listing.place]?.listing != listing {
            // A folder that was not known before could have had any names.
            if logs[listing.place]?.record(listing, at: generation) == nil {
                logs[listing.place] = FolderLog(listing, at: generation)
            }
        }
        let kept = Set(new.listings.map(\.place))
        for (place, log) in logs where !kept.contains(place) && !log.listing.entries.isEmpty {
            let nothing = FolderListing(name: place.name, path: place.path, entries: [])
            logs[place]?.restart(from: nothing, at: generation)
        }
        return differences(since: generation - 1)
    }

    /// All names of all folders.
    var state: [Folders.Folder] { fitting(sorted.map(\.state)) }

    func differences(since generation: Int) -> [Folders.Folder] {
        fitting(sorted.filter { $0.changed > generation }.map { $0.difference(since: generation) })
            .filter { !$0.isEmpty }
    }

    /// Returns all names of the folders that changed since a generation.
    func rescans(since generation: Int) -> [Folders.Folder] {
        fitting(sorted.filter { $0.changed > generation }.map(\.rescan))
    }

    private var sorted: [FolderLog] {
        logs.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the folders with as many names as fit in one event.
    private func fitting(_ folders: [Folders.Folder]) -> [Folders.Folder] {
        let sizes = folders.map(\.size)
        guard sizes.reduce(0, +) > Self.sizeLimit else { return folders }
        var folders = folders
        var rest = Self.sizeLimit
        for index in folders.indices.sorted(by: { (sizes[$0], $0) < (sizes[$1], $1) }) {
            let folder = folders[index]
            if sizes[index] > rest, let all = logs[FolderListing.Place(name: folder.name, path: folder.path)]?.rescan {
                folders[index] = all.prefix(ofSize: rest)
            }
            rest = max(0, rest - folders[index].size)
        }
        return folders
    }
}

extension Folders.Folder {
    /// Returns a rescan with the names that fit in a size in bytes.
    fileprivate func prefix(ofSize limit: Int) -> Folders.Folder {
        var folder = self
        folder.added = []
        var rest = limit - folder.size
        for name in added {
            rest -= Self.size(of: name)
            guard rest >= 0 else { break }
            folder.added.append(name)
        }
        return folder
    }
}
