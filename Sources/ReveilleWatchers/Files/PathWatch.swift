// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Watches where paths lead to: files, directories, and everything on the way that can lead elsewhere.
///
/// Each directory of the way is watched for being moved; the directory of each link, of the file itself
/// and of the first name that is missing is watched for what happens to its entries. Whenever the way
/// changes it is followed again and watched anew, as all of them are when something was mounted. Loop thread only.
final class PathWatch {
    /// What was noticed.
    enum Notice: Hashable {
        /// Something happened to what a watched path leads to.
        case path(String, FileSettling.Notice)
        /// Something happened to a name in the directory that a watched path leads to.
        case entry(directory: String, name: String, FileSettling.Notice)
        /// A directory cannot be watched; told once until it can.
        case refused(SystemError)
        /// Something was mounted or unmounted, so that any path may lead elsewhere.
        case mounted
        /// Events were lost: everything is to be read again. All paths are watched anew.
        case lost
    }

    /// How often a way is followed again because it changed while it was being watched.
    ///
    /// Each round watches one directory more at least, so only a way that never rests takes as many.
    private static let rounds = 16

    private let root: String
    private let handler: (Notice) -> Void
    private var directories: DirectoryWatch?
    private var mounts: MountWatch?
    private var chains: [String: PathChain] = [:]
    /// By directory: who is concerned by it, by which name; `nil` is the directory itself.
    private var concerns: [String: [String?: Set<String>]] = [:]
    /// By directory: the watched paths that lead to it, for whom its names count.
    private var listed: [String: Set<String>] = [:]
    private var refused: Set<String> = []

    /// Starts to watch no path yet.
    ///
    /// - Throws: `SystemError` when the user's inotify instances are used up, or there is no table of mounts.
    init(loop: EventLoop, root: String, handler: @escaping (Notice) -> Void) throws(SystemError) {
        self.root = root
        self.handler = handler
        directories = try DirectoryWatch(loop: loop) { [weak self] in self?.handle($0) }
        mounts = try MountWatch(loop: loop) { [weak self] in self?.followAgain() }
    }

    /// Follows every way again, and watches anew those that lead elsewhere now.
    private func followAgain() {
        for (path, chain) in chains where PathChain(following: path, root: root) != chain {
            add(path)
        }
        handler(.mounted)
    }

    /// Watches a path, or watches anew the way that it leads now.
    func add(_ path: String) {
        for _ in 0..<Self.rounds {
            let chain = PathChain(following: path, root: root)
            replaceChain(of: path, with: chain)
            // What happened before the watch was there told nobody; so a new watch asks for another look.
            let isNew = Self.interests(of: chain).map { arm($0.directory, $0.interest) }.contains(true)
            if !isNew { return }
        }
    }

    /// Watches a path no longer.
    func remove(_ path: String) {
        replaceChain(of: path, with: nil)
    }

    private func arm(_ directory: String, _ interest: DirectoryWatch.Interest) -> Bool {
        do {
            let isNew = try directories?.add(directory, interest: interest) ?? false
            refused.remove(directory)
            return isNew
        } catch {
            // It is gone again, or was replaced: the next look shows what by.
            if error.isAbsence { return true }
            if refused.insert(directory).inserted { handler(.refused(error)) }
            return false
        }
    }

    private func replaceChain(of path: String, with chain: PathChain?) {
        var left: Set<String> = []
        for (directory, name) in Self.lookups(of: chains[path]) {
            concerns[directory]?[name]?.remove(path)
            if concerns[directory]?[name]?.isEmpty ?? false { concerns[directory]?[name] = nil }
            left.insert(directory)
        }
        for (directory, name) in Self.lookups(of: chain) {
            concerns[directory, default: [:]][name, default: []].insert(path)
        }
        if case .directory(let directory) = chains[path]?.end { listed[directory]?.remove(path) }
        if case .directory(let directory) = chain?.end { listed[directory, default: []].insert(path) }
        chains[path] = chain
        for directory in left where concerns[directory]?.isEmpty ?? true {
            concerns[directory] = nil
            listed[directory] = nil
            refused.remove(directory)
            directories?.remove(directory)
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

    private static func lookups(of chain: PathChain?) -> [(directory: String, name: String?)] {
        guard let chain else { return [] }
        return chain.steps.map { ($0.directory, $0.name) } + interests(of: chain).map { ($0.directory, nil) }
    }

    private func handle(_ event: DirectoryWatch.Event) {
        switch event {
        case .overflow:
            for path in chains.keys { add(path) }
            handler(.lost)
        case .gone(let directory), .attributes(let directory):
            for path in concerns[directory]?[nil] ?? [] {
                add(path)
                handler(.path(path, .finished))
            }
        case .entry(let directory, let name, let kind):
            let listing = listed[directory] ?? []
            for path in concerns[directory]?[name] ?? [] {
                handle(kind, of: path, at: directory == "/" ? "/" + name : directory + "/" + name)
            }
            for path in listing {
                handler(.entry(directory: path, name: name, FileSettling.Notice(kind)))
            }
        }
    }

    private func handle(_ kind: DirectoryWatch.Kind, of path: String, at place: String) {
        let isContent = [.modified, .closedAfterWriting, .attributes].contains(kind)
        if !isContent || chains[path]?.end != .file(place) { add(path) }
        handler(.path(path, FileSettling.Notice(kind)))
    }
}

extension FileSettling.Notice {
    /// What an entry's event says of the file.
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
