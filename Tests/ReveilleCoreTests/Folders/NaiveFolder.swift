// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation

@testable import ReveilleCore

/// The files of a folder, with random changes, and the difference between two of its listings.
struct NaiveFolder {
    struct File: Hashable {
        var identity: UInt64
        var stamp: UInt64
    }

    private static let names = ["a", "b", "c", "d", "e", "f", "x.part"]

    private(set) var files: [String: File] = [:]
    /// The periods of each name: the reports at its appearance and at its disappearance.
    private(set) var lives: [String: [(birth: Int, death: Int)]] = [:]
    private var reported: [String: File] = [:]
    private var last: UInt64 = 0

    /// Makes a file, removes one, writes to one, or renames one; `anything` also replaces and exchanges files.
    mutating func change(using random: inout SplitMix64, anything: Bool) {
        let name = Self.names.randomElement(using: &random) ?? ""
        let other = Self.names.randomElement(using: &random) ?? ""
        last += 1
        let new = File(identity: last, stamp: last)
        switch Int.random(in: 0..<(anything ? 6 : 4), using: &random) {
        case 0: if anything || files[name] == nil { files[name] = new }
        case 1: files[name] = nil
        case 2: if files[name] != nil { files[name]?.stamp = new.stamp }
        case 3 where name != other && (anything || files[other] == nil):
            if let file = files.removeValue(forKey: name) { files[other] = file }
        case 4:
            let file = files[name]
            files[name] = files[other]
            files[other] = file
        default: break
        }
    }

    /// Reports the state as a watcher does; a change has this `generation`.
    mutating func report(generation: Int) -> Reading {
        for name in Self.names {
            if reported[name] == nil, files[name] != nil { lives[name, default: []].append((generation, .max)) }
            if reported[name] != nil, files[name] == nil, let count = lives[name]?.count {
                lives[name]?[count - 1].death = generation
            }
        }
        reported = files
        let entries = files.map { FolderEntry(name: EntryName(escaped: $0), identity: $1.identity, stamp: $1.stamp) }
        return .folders(Folders(listings: [FolderListing(name: "documents", path: "/d", entries: entries)]))
    }

    /// Whether a life is forgotten that a subscriber of a generation may have seen.
    func isForgotten(since generation: Int) -> Bool {
        lives.values.contains { lives in
            lives.dropLast(FolderLog.livesLimit).contains { $0.death > generation }
        }
    }

    static func difference(from seen: [String: File], to now: [String: File]) -> Folders.Folder {
        var folder = Folders.Folder(name: "documents", path: "/d")
        var added = now.keys.filter { seen[$0] == nil }.sorted()
        for (name, file) in seen.sorted(by: { $0.key < $1.key }) {
            if let file = now[name] {
                if file != seen[name] { folder.changed.append(name) }
            } else if let place = added.firstIndex(where: { now[$0]?.identity == file.identity }) {
                let name = (name, added.remove(at: place))
                folder.renamed.append(Folders.Rename(from: name.0, to: name.1))
                if now[name.1] != file { folder.changed.append(name.1) }
            } else {
                folder.removed.append(name)
            }
        }
        folder.added = added
        folder.changed.sort()
        folder.renamed.sort { $0.to < $1.to }
        return folder
    }
}

extension Folders.Folder {
    /// Returns the names after the difference; `nil` if it does not fit the names before.
    func applied(to names: Set<String>) -> Set<String>? {
        if isRescan { return Set(added) }
        let left = Set(removed + renamed.map(\.from))
        let new = Set(added + renamed.map(\.to))
        guard left.isSubset(of: names), new.isDisjoint(with: names) else { return nil }
        guard new.count == added.count + renamed.count, left.count == removed.count + renamed.count else { return nil }
        let now = names.subtracting(left).union(new)
        return Set(changed).isSubset(of: now.subtracting(added)) ? now : nil
    }
}
