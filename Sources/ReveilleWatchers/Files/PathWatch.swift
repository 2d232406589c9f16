// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// Watches files, directories, and every directory and link on the path to them.
///
/// Each directory of a path is watched for being moved. The directories of each link, of the file and of the first
/// missing name are watched for changes of their entries. A path that changes is followed again; after a mount, all
/// paths are followed again. Loop thread only.
final class PathWatch {
    enum Notice: Hashable {
        /// The target of a watched path changed.
        case path(String, FileSettling.Notice)
        /// An entry of the directory at a watched path changed.
        case entry(directory: String, name: String, FileSettling.Notice)
        /// An entry of the directory at a watched path changed, and its name is not valid UTF-8.
        case unreadableName(directory: String)
        /// A directory cannot be watched; reported once while this lasts.
        case refused(SystemError)
        /// A file system was mounted or unmounted, and any path may lead elsewhere.
        case mounted
        /// Events were lost, and everything must be read again. All paths are being watched again.
        case lost
    }

    /// The most times a changing path is followed; each round watches at least one more directory.
    private static let rounds = 16

    private let root: String
    private let handler: (Notice) -> Void
    private var directories: DirectoryWatch?
    private var mounts: MountWatch?
    private var chains: [ExactText: PathChain] = [:]
    /// The watched paths that depend on each name of each directory; `nil` for the directory itself.
    private var concerns: [ExactText: [ExactText?: Set<ExactText>]] = [:]
    /// The watched paths that lead to each directory, and include its entries.
    private var listed: [ExactText: Set<ExactText>] = [:]
    private var refused: Set<ExactText> = []

    /// Throws when the user's inotify instances are used up, or there is no table of mounts.
    init(loop: EventLoop, root: String, handler: @escaping (Notice) -> Void) throws(SystemError) {
        self.root = root
        self.handler = handler
        directories = try DirectoryWatch(loop: loop, handler: weakly(self) { $0.handle($1) })
        mounts = try MountWatch(loop: loop, changed: weakly(self) { $0.followAgain() })
    }

    /// Follows every path again, and watches the paths that now lead elsewhere.
    private func followAgain() {
        for (path, chain) in chains where PathChain(following: path.text, root: root) != chain {
            add(path.text)
        }
        handler(.mounted)
    }

    /// Handles all changes so far, without waiting for the loop.
    func readPending() {
        directories?.readPending()
    }

    /// Watches a path, or follows it again.
    func add(_ path: String) {
        for _ in 0..<Self.rounds {
            let chain = PathChain(following: path, root: root)
            replaceChain(of: ExactText(path), with: chain)
            // Changes before a new watch was in place went unnoticed, so the path is followed once more.
            let isNew = Self.interests(of: chain).map { arm($0.directory, $0.interest) }.contains(true)
            if !isNew { return }
        }
    }

    func remove(_ path: String) {
        replaceChain(of: ExactText(path), with: nil)
    }

    private func arm(_ directory: String, _ interest: DirectoryWatch.Interest) -> Bool {
        do {
            let isNew = try directories?.add(directory, interest: interest) ?? false
            refused.remove(ExactText(directory))
            return isNew
        } catch {
            // The directory has gone or was replaced; the next round follows the replacement.
            if error.isAbsence { return true }
            if refused.insert(ExactText(directory)).inserted { handler(.refused(error)) }
            return false
        }
    }

    private func replaceChain(of path: ExactText, with chain: PathChain?) {
        var left: Set<ExactText> = []
        for (directory, name) in Self.lookups(of: chains[path]) {
            concerns[directory]?[name]?.remove(path)
            if concerns[directory]?[name]?.isEmpty ?? false { concerns[directory]?[name] = nil }
            left.insert(directory)
        }
        for (directory, name) in Self.lookups(of: chain) {
            concerns[directory, default: [:]][name, default: []].insert(path)
        }
        if case .directory(let directory) = chains[path]?.end { listed[ExactText(directory)]?.remove(path) }
        if case .directory(let directory) = chain?.end { listed[ExactText(directory), default: []].insert(path) }
        chains[path] = chain
        for directory in left where concerns[directory]?.isEmpty ?? true {
            concerns[directory] = nil
            listed[directory] = nil
            refused.remove(directory)
            directories?.remove(directory.text)
        }
    }

    private static func interests(of chain: PathChain) -> [(directory: String, interest: DirectoryWatch.Interest)] {
        var interests = chain.steps.map { step in
            step.kind == .directory
                ? (directory: step.path, interest: DirectoryWatch.Interest.itself)
                : (directory: step.directory, interest: .entries)
        }
        if case .directory(let directory) = chain.end { interests.append((directory, .entries)) }
        return interests
    }

    private static func lookups(of chain: PathChain?) -> [(directory: ExactText, name: ExactText?)] {
        guard let chain else { return [] }
        return chain.steps.map { (ExactText($0.directory), ExactText($0.name)) }
            + interests(of: chain).map { (ExactText($0.directory), nil) }
    }

    private func handle(_ event: DirectoryWatch.Event) {
        switch event {
        case .overflow:
            for path in chains.keys { add(path.text) }
            handler(.lost)
        case .gone(let directory), .attributes(let directory):
            for path in concerns[ExactText(directory)]?[nil] ?? [] {
                add(path.text)
                handler(.path(path.text, .finished))
            }
        case .unreadableName(let directory):
            for path in listed[ExactText(directory)] ?? [] { handler(.unreadableName(directory: path.text)) }
        case .entry(let directory, let name, let kind):
            let key = ExactText(directory)
            let listing = listed[key] ?? []
            for path in concerns[key]?[ExactText(name)] ?? [] {
                handle(kind, of: path, at: PathChain.path(of: name, in: directory))
            }
            for path in listing {
                handler(.entry(directory: path.text, name: name, FileSettling.Notice(kind)))
            }
        }
    }

    private func handle(_ kind: DirectoryWatch.Kind, of path: ExactText, at place: String) {
        let isContent = [.modified, .closedAfterWriting, .attributes].contains(kind)
        if !isContent || chains[path]?.end != .file(place) { add(path.text) }
        handler(.path(path.text, FileSettling.Notice(kind)))
    }
}

extension FileSettling.Notice {
    init(_ kind: DirectoryWatch.Kind) {
        self =
            switch kind {
            case .modified: .written
            case .created, .closedAfterWriting, .movedTo: .finished
            case .deleted, .movedFrom: .removed
            case .attributes: .touched
            }
    }
}
