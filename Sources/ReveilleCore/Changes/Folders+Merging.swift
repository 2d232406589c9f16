// SPDX-License-Identifier: Apache-2.0

extension Folders {
    func merged(with later: Folders) -> Folders {
        var merged = Dictionary(folders.map { ($0.place, $0) }, uniquingKeysWith: { $1 })
        for folder in later.folders { merged[folder.place] = merged[folder.place]?.merged(with: folder) ?? folder }
        return Folders(folders: merged.sorted { $0.key < $1.key }.map(\.value).filter { !$0.isEmpty })
    }

    /// A current state for a subscriber that has seen another state.
    var rescanned: Folders {
        Folders(
            folders: folders.map { folder in
                var folder = folder
                folder.isRescan = true
                return folder
            })
    }
}

extension Folders.Folder {
    /// The origin of a name that an event mentions and that the folder has after it.
    private enum Origin {
        case new
        /// The name before the event, which may be the same, and whether the file changed.
        case name(EntryName, isChanged: Bool)
    }

    fileprivate var place: FolderListing.Place { FolderListing.Place(name: name, path: path) }

    fileprivate func merged(with later: Folders.Folder) -> Folders.Folder {
        guard !later.isRescan else { return later }
        let (first, second) = (origins, later.origins)
        let (gone, lost) = (departures, later.departures)
        var origins = first.filter { !lost.contains($0.key) }
        for (name, origin) in second {
            guard case .name(let middle, let isChanged) = origin else {
                origins[name] = .new
                continue
            }
            switch first[middle] {
            case .new: origins[name] = .new
            case .name(let source, let wasChanged): origins[name] = .name(source, isChanged: isChanged || wasChanged)
            case nil: origins[name] = origin
            }
        }
        // The names that the subscriber knows: names that left, and remaining names that were not new.
        var known = gone.union(lost.filter { first[$0] == nil })
        for (name, origin) in first { if case .name(name, _) = origin { known.insert(name) } }
        for (name, origin) in second where first[name] == nil {
            if case .name(name, _) = origin { known.insert(name) }
        }
        return Folders.Folder(self, origins: origins, known: known)
    }

    private var origins: [EntryName: Origin] {
        var origins: [EntryName: Origin] = [:]
        for name in added { origins[EntryName(escaped: name)] = .new }
        for name in changed {
            let name = EntryName(escaped: name)
            origins[name] = .name(name, isChanged: true)
        }
        for rename in renamed {
            let name = EntryName(escaped: rename.to)
            let isChanged = origins[name] != nil
            origins[name] = .name(EntryName(escaped: rename.from), isChanged: isChanged)
        }
        return origins
    }

    /// The names that are no longer in the folder after the event.
    private var departures: Set<EntryName> {
        Set((removed + renamed.map(\.from)).map(EntryName.init(escaped:)))
    }

    private init(_ folder: Folders.Folder, origins: [EntryName: Origin], known: Set<EntryName>) {
        self.init(name: folder.name, path: folder.path)
        isRescan = folder.isRescan
        var left = known.filter { origins[$0] == nil }
        for (name, origin) in origins.sorted(by: { $0.key < $1.key }) {
            switch origin {
            case .name(name, let isChanged):
                if isChanged { changed.append(name.text) }
            case _ where known.contains(name):
                changed.append(name.text)
            case .name(let source, let isChanged) where left.remove(source) != nil:
                renamed.append(Folders.Rename(from: source.text, to: name.text))
                if isChanged { changed.append(name.text) }
            case .new, .name:
                added.append(name.text)
            }
        }
        removed = left.sorted().map(\.text)
    }
}
