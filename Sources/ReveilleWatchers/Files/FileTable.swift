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
        fileprivate var settling = FileSettling()
        fileprivate var digest: Digest?
        /// Whether the value stands for contents that cannot be parsed.
        fileprivate var isUnparsed = false
        fileprivate var isReported = false
        /// Where the path led at the last read.
        fileprivate var way: PathChain?

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
        /// The files that were found in a directory, and must be watched.
        var appeared: [String] = []
        var disappeared: [String] = []
        /// The new problems, one line each.
        var warnings: [String] = []
        /// Whether more files are due.
        var isUnfinished = false
    }

    /// The configured paths, in order, without duplicates.
    let paths: [String]
    /// All files by path, including files in directories.
    private(set) var entries: [ExactText: Entry]
    /// The number of files found in each directory, at most ``DirectoryListing/limit``.
    private var foundCounts: [ExactText: Int] = [:]
    private let asked: Set<ExactText>
    private let timing: FileSettling.Timing
    private let reader: FileReader<Value>

    /// Creates a table of files that have not been read; their paths are absolute, without the root.
    init(paths: [String], root: String, timing: FileSettling.Timing, format: FileFormat<Value>) {
        var seen: Set<ExactText> = []
        self.paths = paths.filter { seen.insert(ExactText($0)).inserted }
        asked = seen
        self.timing = timing
        reader = FileReader(root: root, format: format)
        entries = Dictionary(uniqueKeysWithValues: seen.map { ($0, Entry()) })
    }

    /// Returns a path with the root, as other programs see it.
    func real(_ path: String) -> String {
        reader.root + path
    }

    var deadline: Instant? {
        entries.values.lazy.compactMap(\.settling.deadline).min()
    }

    mutating func notice(_ notice: FileSettling.Notice, of path: String, at now: Instant) {
        self.notice(notice, of: ExactText(path), at: now)
    }

    private mutating func notice(_ notice: FileSettling.Notice, of path: ExactText, at now: Instant) {
        entries[path]?.settling.notice(notice, at: now, timing: timing)
    }

    /// Notes a possible change of every file in the table.
    mutating func noticeLoss(at now: Instant) {
        for path in entries.keys { notice(.finished, of: path, at: now) }
    }

    /// Notes a change of every file whose path leads elsewhere now.
    mutating func noticeOtherWays(at now: Instant) {
        for (path, entry) in entries where entry.way != PathChain(following: path.text, root: reader.root) {
            notice(.finished, of: path, at: now)
        }
    }

    /// Notes a name in a directory; a file that is already in the table has notices of its own.
    mutating func notice(
        _ notice: FileSettling.Notice, of name: String, in directory: String, at now: Instant
    ) -> Effects {
        var effects = Effects()
        guard notice != .removed, reader.membership(of: PathChain.path(of: name, in: directory)) != .no else {
            return effects
        }
        _ = find(name, in: directory, at: now, &effects)
        return effects
    }

    /// Reads the files that are due, at least one; the others stay due once `mayGoOn` returns false.
    mutating func readDue(by time: Instant, at now: Instant, while mayGoOn: () -> Bool) -> Effects {
        var effects = Effects()
        let due = entries.compactMap { path, entry in
            entry.settling.deadline.map { $0 <= time } == true ? path : nil
        }
        for (position, path) in due.enumerated() {
            read(path, at: now, asked: false, &effects)
            guard position < due.count - 1, !mayGoOn() else { continue }
            effects.isUnfinished = true
            break
        }
        return effects
    }

    mutating func readAll(at now: Instant) -> Effects {
        var effects = Effects()
        // First the configured paths: directories may have files that are not in the table yet.
        for path in paths { read(ExactText(path), at: now, asked: true, &effects) }
        for path in entries.keys where !self.asked.contains(path) { read(path, at: now, asked: true, &effects) }
        return effects
    }

    private mutating func find(_ name: String, in directory: String, at now: Instant, _ effects: inout Effects) -> Bool
    {
        let path = ExactText(PathChain.path(of: name, in: directory))
        let directory = ExactText(directory)
        guard entries[path] == nil else { return false }
        guard foundCounts[directory, default: 0] < DirectoryListing.limit else {
            entries[directory]?.problem = DirectoryListing.cutProblem
            effects.warnings += entries[directory]?.warning(of: directory.text) ?? []
            return false
        }
        foundCounts[directory, default: 0] += 1
        entries[path] = Entry()
        notice(.finished, of: path, at: now)
        effects.appeared.append(path.text)
        return true
    }

    private mutating func read(_ path: ExactText, at now: Instant, asked: Bool, _ effects: inout Effects) {
        guard var entry = entries[path] else { return }
        let isFound = !self.asked.contains(path)
        let way = PathChain(following: path.text, root: reader.root)
        entry.way = way
        let look = reader.look(
            at: path.text, by: way, isFound: isFound, unlike: entry.digest, after: entry.value)
        // A file that was found in a directory and was never valid may be of another kind.
        let isDoubtful = isFound && entry.value == nil && reader.membership(of: path.text) != .yes
        if !(look.isSame && entry.isUnparsed) { entry.problem = isDoubtful ? nil : look.problem }
        entry.isDirectory = look.isDirectory
        switch entry.settling.judge(look.outcome, at: now, timing: timing, asked: asked) {
        case .take:
            effects.hasChanged = entry.take(look) || effects.hasChanged
            // A directory counts even if some of its files are ignored.
            effects.warnings += entry.warning(of: path.text)
        case .wait:
            // The writer may need a moment, unless somebody asks and there are no values to keep.
            if asked, entry.value == nil { effects.hasChanged = entry.take(look) || effects.hasChanged }
        case .giveUp:
            effects.hasChanged = entry.take(look) || effects.hasChanged
            effects.warnings += entry.warning(of: path.text)
        }
        let isHollow = entry.digest == nil && entry.problem == nil
        let isGone = isFound && isHollow && entry.settling.deadline == nil
        entries[path] = isGone ? nil : entry
        if isGone {
            effects.disappeared.append(path.text)
            foundCounts[ExactText(PathChain.parent(of: path.text)), default: 1] -= 1
        }
        // Subdirectories are not the watcher's.
        guard !isFound, case .directory(let names, _) = look else { return }
        for name in names where find(name, in: path.text, at: now, &effects) && asked {
            read(ExactText(PathChain.path(of: name, in: path.text)), at: now, asked: true, &effects)
        }
    }
}

extension FileReader.Look {
    fileprivate var isSame: Bool {
        if case .same = self { true } else { false }
    }

    fileprivate var isDirectory: Bool {
        if case .directory = self { true } else { false }
    }

    fileprivate var problem: String? {
        switch self {
        case .failed(let problem), .directory(_, let problem?), .unparsed(_, _, let problem): problem
        case .directory(_, nil), .same, .contents, .missing: nil
        }
    }

    fileprivate var outcome: FileSettling.Outcome {
        switch self {
        case .same: .good
        // The digest of no bytes.
        case .contents(_, let new): new == Digest() ? .empty : .good
        // For values, a directory is a missing file.
        case .directory, .missing: .missing
        case .failed, .unparsed: .failed
        }
    }
}
