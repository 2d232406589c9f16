// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The files of a watcher, their last valid values, and when to read them next.
struct FileTable<Value: Equatable> {
    struct Entry {
        /// The last valid value; `nil` for a file that is missing or not the watcher's.
        var value: Value?
        /// The current problem, in one line.
        var problem: String?
        /// Whether it is a directory, whose files have entries of their own.
        var isDirectory = false
        /// The number of other files in the directory.
        var others = 0
        /// The attention that the folder of a program gets; `nil` for other entries.
        var attention: FolderAttention?
        fileprivate var settling = FileSettling()
        fileprivate(set) var digest: Digest?
        /// Whether the value stands for contents that cannot be parsed.
        fileprivate var isUnparsed = false
        fileprivate var isReported = false
        /// A hash of the way that the path led at the last read, and the number of links on it.
        fileprivate var way: Int?
        fileprivate(set) var links = 0
        /// Whether a file in the folder of a program is watched by itself, since it is a link.
        fileprivate(set) var isFollowed = false

        /// When the file must be read, or the folder watched, next.
        fileprivate var deadline: Instant? {
            [settling.deadline, attention?.leftUntil].compactMap { $0 }.min()
        }

        /// Returns the current problem, once while it lasts.
        fileprivate mutating func warning(of path: String) -> [String] {
            defer { isReported = problem != nil }
            guard let problem, !isReported else { return [] }
            if value == nil { return ["\(path): \(problem)"] }
            return [
                "\(path): \(problem); \(isUnparsed ? "only its changes are reported" : "the previous values are kept")"
            ]
        }

        /// Takes the result of a read, and returns whether the value has changed.
        fileprivate mutating func take(_ look: FileReader<Value>.Look) -> Bool {
            let old = value
            switch look {
            case .contents(let new, let newDigest): (value, digest, isUnparsed) = (new, newDigest, false)
            case .unparsed(let new, let newDigest, _): (value, digest, isUnparsed) = (new, newDigest, true)
            case .directory, .missing: (value, digest, isUnparsed) = (nil, nil, false)
            case .same, .failed: break
            }
            return value != old
        }
    }

    struct Effects {
        var hasChanged = false
        /// The files and folders that must be watched from now on: they were found in a directory, or left before.
        var appeared: [String] = []
        /// The files and folders that are no longer watched.
        var disappeared: [String] = []
        /// The new problems, one line each.
        var warnings: [String] = []
    }

    /// The configured paths, in order, without duplicates.
    let paths: [String]
    /// All files by path, including files in directories.
    var entries: [ExactText: Entry]
    /// The number of files found in each directory.
    private var foundCounts: [ExactText: Int] = [:]
    /// The configured files, and directories whose files count.
    let asked: Set<ExactText>
    /// The configured directories whose subdirectories are folders of programs.
    let homes: Set<ExactText>
    private let timing: FileSettling.Timing
    let reader: FileReader<Value>

    /// Creates a table of files that have not been read; their paths are absolute, without the root.
    ///
    /// `/a/*` stands for the files in each subdirectory of `/a`.
    init(paths: [String], root: String, timing: FileSettling.Timing, format: FileFormat<Value>) {
        let isHome = { (path: String) in ConfiguredPath.name(of: path) == "*" }
        var seen: Set<ExactText> = []
        self.paths = paths.map { isHome($0) ? PathChain.parent(of: $0) : $0 }
            .filter { seen.insert(ExactText($0)).inserted }
        asked = Set(paths.filter { !isHome($0) }.map { ExactText($0) })
        homes = Set(paths.filter(isHome).map { ExactText(PathChain.parent(of: $0)) })
        self.timing = timing
        reader = FileReader(root: root, format: format)
        entries = Dictionary(uniqueKeysWithValues: seen.map { ($0, Entry()) })
    }

    /// Returns a path with the root, as other programs see it.
    func real(_ path: String) -> String {
        reader.root + path
    }

    var deadline: Instant? {
        entries.values.lazy.compactMap(\.deadline).min()
    }

    /// Notes a change of a file, or of the folder of a program, whose files are not watched by themselves.
    mutating func notice(_ notice: FileSettling.Notice, of path: ExactText, at now: Instant) {
        entries[path]?.settling.notice(notice, at: now, timing: timing)
        guard entries[path]?.attention != nil else { return }
        for file in files(in: path) { entries[file]?.settling.notice(.finished, at: now, timing: timing) }
    }

    /// Notes a possible change of every file in the table.
    mutating func noticeLoss(at now: Instant) {
        for path in entries.keys { entries[path]?.settling.notice(.finished, at: now, timing: timing) }
    }

    /// Notes a change of every file whose path leads elsewhere now.
    mutating func noticeOtherWays(at now: Instant) {
        for (path, entry) in entries
        where entry.way != PathChain(following: path.text, root: reader.root).hashValue {
            notice(.finished, of: path, at: now)
        }
    }

    /// Notes a name in a directory; a file in the table has notices of its own, unless it is in the folder of a program.
    mutating func notice(
        _ notice: FileSettling.Notice, of name: String, in directory: String, at now: Instant
    ) -> Effects {
        var effects = Effects()
        let (directory, path) = (ExactText(directory), PathChain.path(of: name, in: directory))
        let isFolder = entries[directory]?.attention != nil
        if isFolder { attend(to: directory, at: now, &effects) }
        // Neither has a folder that is not watched.
        if isFolder || isLeft(ExactText(path)) { self.notice(notice, of: ExactText(path), at: now) }
        let isFile = (isFolder || asked.contains(directory)) && reader.membership(of: path) != .no
        if notice != .removed, isFile || notice != .written && leadsToProgram(path) {
            _ = find(name, in: directory, at: now, &effects)
        }
        return effects
    }

    /// The files that are due at a time.
    func due(by time: Instant) -> [ExactText] {
        entries.compactMap { path, entry in entry.deadline.map { $0 <= time } == true ? path : nil }
    }

    /// Reads files that are still due, at least one; the others stay in the list once `mayGoOn` returns false.
    mutating func read(
        _ due: inout [ExactText], by time: Instant, at now: Instant, while mayGoOn: () -> Bool
    ) -> Effects {
        var effects = Effects()
        while let path = due.popLast() {
            guard entries[path]?.deadline.map({ $0 <= time }) == true else { continue }
            if !resume(path, by: time, at: now, &effects) { read(path, at: now, asked: false, &effects) }
            if !mayGoOn() { break }
        }
        return effects
    }

    mutating func readAll(at now: Instant) -> Effects {
        var effects = Effects()
        let found = entries.keys.filter { !asked.contains($0) && !homes.contains($0) }
        // Files that are not in the table yet are read with their directories.
        for path in paths.map({ ExactText($0) }) + found { read(path, at: now, asked: true, &effects) }
        return effects
    }

    private mutating func find(
        _ name: String, in directory: ExactText, at now: Instant, _ effects: inout Effects
    ) -> Bool {
        let path = ExactText(PathChain.path(of: name, in: directory.text))
        // Parsers of messages refuse such names; the problem of their directory covers them.
        guard entries[path] == nil, !CombiningMarks.areTooMany(in: name) else { return false }
        let isFull = entries.count >= paths.count + DirectoryListing.limit
        guard !isFull, !isProgram(directory) || foundCounts[directory, default: 0] < Self.programLimit else {
            // The folders of programs are part of the directory that is full.
            let place = isFull && isProgram(directory) ? ExactText(PathChain.parent(of: directory.text)) : directory
            entries[place]?.problem = DirectoryListing.cutProblem(isFull ? DirectoryListing.limit : Self.programLimit)
            effects.warnings += entries[place]?.warning(of: place.text) ?? []
            return false
        }
        foundCounts[directory, default: 0] += 1
        entries[path] = Entry()
        notice(.finished, of: path, at: now)
        if !isProgram(directory) { effects.appeared.append(path.text) }
        return true
    }

    mutating func read(_ path: ExactText, at now: Instant, asked: Bool, _ effects: inout Effects) {
        guard var entry = entries[path] else { return }
        let isHome = homes.contains(path)
        let isAsked = self.asked.contains(path)
        let isFound = !isHome && !isAsked
        let way = PathChain(following: path.text, root: reader.root)
        (entry.way, entry.links) = (way.hashValue, way.steps.count { $0.kind == .link })
        let look = look(at: path, by: way, isFound: isFound, entry)
        let isProgram = isFound && look.isDirectory && isProgram(path)
        // A file that was found in a directory and was never valid may be of another kind.
        let isDoubtful = isFound && entry.value == nil && reader.membership(of: path.text) != .yes
        if !(look.isSame && entry.isUnparsed) { entry.problem = isDoubtful ? nil : look.problem }
        entry.isDirectory = look.isDirectory
        if case .directory(_, _, let others, _) = look { entry.others = others }
        if isProgram {
            entry.attention = entry.attention ?? FolderAttention(at: now)
        } else if entry.attention?.leftUntil == nil {
            entry.attention = nil
        }
        let verdict = entry.settling.judge(look.outcome(after: entry.value), at: now, timing: timing, asked: asked)
        // The writer may need a moment, unless somebody asks and there are no values to keep.
        let counts = verdict != .wait || asked && entry.value == nil
        let hasChanged = counts && entry.take(look)
        if hasChanged { effects.hasChanged = true }
        // A directory counts even if some of its files are ignored.
        if verdict != .wait { effects.warnings += entry.warning(of: path.text) }
        let parent = ExactText(PathChain.parent(of: path.text))
        if isFound, !entry.isFollowed, self.isProgram(parent), entry.links > entries[parent]?.links ?? 0 {
            entry.isFollowed = true
            if !isLeft(parent) { effects.appeared.append(path.text) }
            // It may change before it is watched.
            entry.settling.notice(.finished, at: now, timing: timing)
        }
        let isHollow = entry.digest == nil && entry.problem == nil
        let isGone = isFound && isHollow && !isProgram && entry.settling.deadline == nil
        entries[path] = isGone ? nil : entry
        if hasChanged { entries[parent]?.attention?.reward() }
        if isGone {
            effects.disappeared.append(path.text)
            foundCounts[parent, default: 1] -= 1
        }
        guard case .directory(let files, let folders, _, _) = look else { return }
        // Subdirectories of others are not the watcher's.
        let names = (isAsked || isProgram ? files : []) + (isHome ? folders : [])
        for name in names where find(name, in: path, at: now, &effects) && asked {
            read(ExactText(PathChain.path(of: name, in: path.text)), at: now, asked: true, &effects)
        }
    }
}
