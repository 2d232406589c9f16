// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the configured folders and reports the entries of each; without folders, it opens nothing.
package final class FoldersWatcher: Watcher {
    /// How long to scan before other sources get their turn: enough for a thousand files, and unnoticed by clients.
    private static let turn: Duration = .milliseconds(2)

    package let aspect = BuiltInAspect.folders
    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            if pace == .off { stop() } else { start() }
        }
    }

    private var folders: [WatchedFolder]
    private let loop: EventLoop
    private let root: String
    private let context: WatcherContext
    private var watch: PathWatch?
    private var timer: EventSource?
    /// The scan that is not finished.
    private var scan: (folder: Int, scan: FolderScan, start: Instant)?
    /// Whether a listing has changed since the last report.
    private var hasChanged = false
    /// Whether the folders are being scanned for the first time since the watcher was off.
    private var isStarting = false
    private var completions: [() -> Void] = []
    package private(set) var laterTime: UInt64 = 0

    /// Creates a watcher that is off; the folders have distinct names, and the settings' own paths are ignored.
    package init(
        loop: EventLoop, folders: [ConfiguredFolder], settings: FileSettings, context: WatcherContext
    ) throws(SystemError) {
        self.folders = folders.sorted { $0.name < $1.name }.map { WatchedFolder($0, settings: settings) }
        self.loop = loop
        root = settings.root
        self.context = context
        guard !folders.isEmpty else { return }
        // At a watcher's priority, no other source would have a turn during a long scan.
        timer = try loop.timer(handler: weakly(self) { $0.scanDue() })
    }

    private func start() {
        guard !folders.isEmpty else { return }
        do {
            watch = try PathWatch(loop: loop, root: root, handler: weakly(self) { $0.handle($1) })
        } catch {
            context.warn("\(error); changes in folders go unnoticed")
        }
        for folder in folders { watch?.add(folder.path) }
        isStarting = true
        scanSoon()
    }

    private func stop() {
        watch = nil
        scan = nil
        isStarting = false
        timer?.disarm()
        complete()
    }

    /// Scans all folders in the next turns, and reports them.
    private func scanSoon() {
        for index in folders.indices { folders[index].isAsked = true }
        // A scan that has begun may have missed changes.
        scan = nil
        hasChanged = true
        timer?.fire(after: .zero)
    }

    private func scanAll() {
        scan = nil
        for index in folders.indices {
            folders[index].isAsked = true
            scan = begin(index)
            _ = finishScan { true }
        }
    }

    private func report() {
        hasChanged = false
        context.report(.folders(Folders(listings: folders.map(\.listing))))
    }

    // MARK: - Changes

    private func handle(_ notice: PathWatch.Notice) {
        let now = loop.now
        switch notice {
        case .path(let path, _), .unreadableName(let path):
            for index in folders(at: path) { folders[index].settling.notice(at: now) }
        case .entry(let path, let name, let notice):
            let entry = EntryName(name.utf8.span)
            for index in folders(at: path) { folders[index].settling.notice(notice, of: entry, at: now) }
        case .refused(let error):
            return context.warn("\(error); changes in this directory are not detected")
        case .mounted:
            for index in folders.indices
            where folders[index].way != PathChain(following: folders[index].path, root: root) {
                folders[index].settling.notice(at: now)
            }
        case .lost:
            context.overflowed()
            for index in folders.indices { folders[index].settling.noticeLoss(at: now) }
        }
        // Events may come by the thousands, so the next deadline is computed after all of them.
        timer?.fire(after: .zero)
    }

    private func folders(at path: String) -> [Int] {
        folders.indices.filter { ExactText(folders[$0].path) == ExactText(path) }
    }

    // MARK: - Scans

    /// Scans the folders that are due, for one turn.
    private func scanDue() {
        let start = loop.threadClock
        scanForOneTurn()
        let isComplete = scan == nil && !folders.contains(where: \.isAsked)
        if isComplete {
            isStarting = false
            if hasChanged { report() }
        }
        if !completions.isEmpty { laterTime += loop.threadTime(since: start) }
        if isComplete { complete() }
        if scan == nil, nextDue == nil { schedule() } else { timer?.fire(after: .zero) }
    }

    private func scanForOneTurn() {
        let end = loop.now + Self.turn
        repeat {
            scan = scan ?? nextDue.map(begin)
            guard scan != nil else { return }
        } while finishScan { loop.now < end } && loop.now < end
    }

    /// The folder whose scan has been due longest.
    private var nextDue: Int? {
        let now = loop.now
        let due = folders.indices.filter { index in
            folders[index].isAsked || folders[index].settling.nextScan.map { $0 <= now } == true
        }
        return due.min { one, other in
            (folders[one].settling.nextScan ?? now) < (folders[other].settling.nextScan ?? now)
        }
    }

    private func begin(_ index: Int) -> (folder: Int, scan: FolderScan, start: Instant) {
        let now = loop.now
        return (index, folders[index].scan(root: root, at: now), now)
    }

    /// Continues the scan, and returns whether it is finished.
    private func finishScan(while mayContinue: () -> Bool) -> Bool {
        guard let (index, folderScan, start) = scan else { return true }
        guard let outcome = folderScan.advance(while: mayContinue) else { return false }
        scan = nil
        // The result may show only a part of the changes during the scan.
        watch?.readPending()
        if folders[index].take(outcome, start: start, at: loop.now) { hasChanged = true }
        if let problem = folders[index].newProblem() { context.warn("\(folders[index].listing.path): \(problem)") }
        return true
    }

    private func schedule() {
        timer?.fire(at: watch == nil ? nil : folders.compactMap(\.settling.nextScan).min(), on: loop)
    }

    // MARK: - Requests

    package func refresh(then completion: @escaping () -> Void) {
        guard pace != .off, !folders.isEmpty else {
            scanAll()
            if !folders.isEmpty { report() }
            return completion()
        }
        completions.append(completion)
        scanSoon()
    }

    package var mayLag: Bool { isStarting }

    package func update(then completion: @escaping () -> Void) {
        guard isStarting else { return completion() }
        completions.append(completion)
    }

    private func complete() {
        let waiting = completions
        completions = []
        for completion in waiting { completion() }
    }

    package var source: SourceDescription {
        guard !folders.isEmpty else { return .unavailable("no folders are configured") }
        let found = folders.filter { folder in
            if case .directory = PathChain(following: folder.path, root: root).end { true } else { false }
        }.map(\.listing.path)
        if !found.isEmpty { return .available(found.joined(separator: ", ")) }
        return .unavailable("no folder at " + folders.map(\.listing.path).joined(separator: ", "))
    }

    package func examine() -> Examination {
        guard !folders.isEmpty else {
            return Examination(advice: ["set folders in the configuration to names with paths"])
        }
        if pace == .off { scanAll() }
        var examination = Examination()
        for folder in folders {
            let count = folder.listing.entries.count
            examination.add(folder.listing.path, folder.problem ?? (count == 1 ? "1 name" : "\(count) names"))
            if let problem = folder.problem {
                examination.advice.append("\(folder.listing.name): \(folder.listing.path): \(problem)")
            }
        }
        return examination
    }
}
