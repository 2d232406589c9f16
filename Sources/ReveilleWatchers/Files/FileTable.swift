// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// The files of a watcher with their last good values.
///
/// Knows when each is to be read next and reads it then; does not watch and does not wait.
struct FileTable<Value: Equatable> {
    /// One file.
    struct Entry {
        /// What counts as its contents; `nil` when it is not there or none of the watcher's.
        var value: Value?
        /// What is wrong with it now, in one line; its value is then the last good one.
        var problem: String?
        /// It is a directory, whose files have entries of their own.
        var isDirectory = false
        fileprivate var settling = FileSettling()
        fileprivate var digest: Digest?
        fileprivate var isReported = false
        /// Where the path led when it was read last.
        fileprivate var way: PathChain?
    }

    /// What came of reading.
    struct Effects {
        /// A value is not what it was.
        var hasChanged = false
        /// Files that were found in a directory, to be watched.
        var appeared: [String] = []
        /// Files that were found in a directory once and are gone.
        var disappeared: [String] = []
        /// New problems, one line each.
        var warnings: [String] = []
        /// Some of what was due is still to be read.
        var isUnfinished = false
    }

    /// The paths that were asked for, in order, each once.
    let paths: [String]
    /// What is known of each file, those in directories included, by path.
    private(set) var entries: [String: Entry]
    /// How many entries were found in each directory, at most ``DirectoryListing/limit``.
    private var foundCounts: [String: Int] = [:]
    private let asked: Set<String>
    private let timing: FileSettling.Timing
    private let reader: FileReader<Value>

    /// Makes a table in which nothing is read yet.
    ///
    /// - Parameters:
    ///   - paths: Files or directories, absolute, without the root.
    ///   - root: The directory that all of them are below, empty for the root directory.
    ///   - timing: How long to wait for what.
    ///   - format: What the files hold.
    init(paths: [String], root: String, timing: FileSettling.Timing, format: FileFormat<Value>) {
        var seen: Set<String> = []
        self.paths = paths.filter { seen.insert($0).inserted }
        asked = seen
        self.timing = timing
        reader = FileReader(root: root, format: format)
        entries = Dictionary(uniqueKeysWithValues: seen.map { ($0, Entry()) })
    }

    /// A path as everybody else knows it, with the root: what is told can be opened.
    func real(_ path: String) -> String {
        reader.root + path
    }

    /// When a file is to be read next.
    var deadline: Instant? {
        entries.values.lazy.compactMap(\.settling.deadline).min()
    }

    /// Takes note of a change of a file that is in the table.
    mutating func notice(_ notice: FileSettling.Notice, of path: String, at now: Instant) {
        entries[path]?.settling.notice(notice, at: now, timing: timing)
    }

    /// Takes note of changes of everything that is in the table.
    mutating func noticeLoss(at now: Instant) {
        for path in entries.keys { notice(.finished, of: path, at: now) }
    }

    /// Takes note of a change of every file whose path leads elsewhere than when it was read.
    mutating func noticeOtherWays(at now: Instant) {
        for (path, entry) in entries where entry.way != reader.way(to: path) { notice(.finished, of: path, at: now) }
    }

    /// Takes note of a name in a directory; one that is in the table already has notices of its own.
    mutating func notice(
        _ notice: FileSettling.Notice, of name: String, in directory: String, at now: Instant
    ) -> Effects {
        var effects = Effects()
        guard notice != .removed, reader.membership(of: name) != .no else { return effects }
        _ = find(name, in: directory, at: now, &effects)
        return effects
    }

    /// Reads what is due, at least one file.
    ///
    /// - Parameters:
    ///   - time: What was due by then is read.
    ///   - now: The time now.
    ///   - mayGoOn: Asked after each file; what is left stays due.
    /// - Returns: What came of it.
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

    /// Reads everything, due or not, and waits for nothing to settle.
    mutating func readAll(at now: Instant) -> Effects {
        var effects = Effects()
        // First what was asked for: directories may have files that are not in the table yet.
        for path in paths { read(path, at: now, asked: true, &effects) }
        for path in entries.keys where !self.asked.contains(path) { read(path, at: now, asked: true, &effects) }
        return effects
    }

    private mutating func find(_ name: String, in directory: String, at now: Instant, _ effects: inout Effects) -> Bool
    {
        let path = Self.path(of: name, in: directory)
        guard entries[path] == nil else { return false }
        guard foundCounts[directory, default: 0] < DirectoryListing.limit else {
            entries[directory]?.problem = DirectoryListing.cutProblem.reason
            effects.warnings += entries[directory]?.warning(of: directory) ?? []
            return false
        }
        foundCounts[directory, default: 0] += 1
        entries[path] = Entry()
        notice(.finished, of: path, at: now)
        effects.appeared.append(path)
        return true
    }

    private mutating func read(_ path: String, at now: Instant, asked: Bool, _ effects: inout Effects) {
        guard var entry = entries[path] else { return }
        let isFound = !self.asked.contains(path)
        let way = reader.way(to: path)
        entry.way = way
        let look = reader.look(at: path, by: way, isFound: isFound, unlike: entry.digest)
        // What was found in a directory and never made sense may be no settings file at all.
        let isDoubtful = isFound && entry.value == nil && reader.membership(of: path) != .yes
        entry.problem = isDoubtful ? nil : look.problem
        entry.isDirectory = look.isDirectory
        switch entry.settling.judge(look.outcome, at: now, timing: timing, asked: asked) {
        case .take:
            effects.hasChanged = entry.take(look) || effects.hasChanged
            // A directory is taken with what is left out of it.
            effects.warnings += entry.warning(of: path)
        case .wait:
            break
        case .giveUp:
            effects.warnings += entry.warning(of: path)
        }
        let isHollow = entry.digest == nil && entry.problem == nil
        let isGone = isFound && isHollow && entry.settling.deadline == nil
        entries[path] = isGone ? nil : entry
        if isGone {
            effects.disappeared.append(path)
            foundCounts[Self.directory(of: path), default: 1] -= 1
        }
        // Directories in a directory are not the watcher's.
        guard !isFound, case .directory(let names, _) = look else { return }
        for name in names where find(name, in: path, at: now, &effects) && asked {
            read(Self.path(of: name, in: path), at: now, asked: true, &effects)
        }
    }

    private static func path(of name: String, in directory: String) -> String {
        directory == "/" ? "/" + name : directory + "/" + name
    }

    private static func directory(of path: String) -> String {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        return parent.isEmpty ? "/" : parent
    }
}

extension FileTable.Entry {
    /// What is wrong, if that was not told since it began.
    fileprivate mutating func warning(of path: String) -> [String] {
        defer { isReported = problem != nil }
        guard let problem, !isReported else { return [] }
        return ["\(path): \(problem)\(value == nil ? "" : "; the last good values stand")"]
    }

    /// Makes what was read the file's contents.
    ///
    /// - Returns: Whether the value is not what it was.
    fileprivate mutating func take(_ look: FileReader<Value>.Look) -> Bool {
        let old = value
        switch look {
        case .contents(let new, let newDigest):
            value = new
            digest = newDigest
        case .directory, .missing:
            value = nil
            digest = nil
        case .same, .failed:
            break
        }
        return value != old
    }
}

extension FileReader.Look {
    fileprivate var isDirectory: Bool {
        if case .directory = self { true } else { false }
    }

    fileprivate var problem: String? {
        switch self {
        case .failed(let problem), .directory(_, let problem?): problem.reason
        case .directory(_, nil), .same, .contents, .missing: nil
        }
    }

    fileprivate var outcome: FileSettling.Outcome {
        switch self {
        case .same: .good
        case .contents(_, let new): new == FileReader<Value>.emptiness ? .empty : .good
        // As a file, a directory is not there.
        case .directory, .missing: .missing
        case .failed: .failed
        }
    }
}
