// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The files of a watcher, kept up to date while they are watched; loop thread only.
final class WatchedFiles<Value: Equatable> {
    private(set) var table: FileTable<Value>
    /// Whether to watch: at any pace but `.off`, since unchanged files cost nothing.
    var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            if pace == .off { return stop() }
            start()
            report(table)
        }
    }

    private let unread: FileTable<Value>
    private let loop: EventLoop
    private let root: String
    private let context: WatcherContext
    private let report: (FileTable<Value>) -> Void
    private var watch: PathWatch?
    private var timer: EventSource?
    private var round: Round?

    /// The reading of all files that are due, which may take several turns of the loop.
    private struct Round {
        /// How long to read before other sources get their turn: enough for many small files, and unnoticed by clients.
        static var turn: Duration { .milliseconds(2) }

        let start: Instant
        /// The files that are not read yet.
        var due: [ExactText]
        var hasChanged = false
    }

    /// Creates files that are neither watched nor read yet; `report` is called when values may have changed.
    init(
        loop: EventLoop, settings: FileSettings, format: FileFormat<Value>, context: WatcherContext,
        report: @escaping (FileTable<Value>) -> Void
    ) throws(SystemError) {
        unread = FileTable(
            paths: settings.paths.map { ConfiguredPath.expanded($0, home: settings.home) }, root: settings.root,
            timing: FileSettling.Timing(readDelay: settings.settle, deletionGrace: settings.deletionGrace),
            format: format)
        table = unread
        self.loop = loop
        root = settings.root
        self.context = context
        self.report = report
        // Not with the priority of watchers: calls get their turn between the parts of a long reading.
        timer = try loop.timer(handler: weakly(self) { $0.readDue() })
    }

    /// Starts to watch, and reads everything; where watching is impossible, files are read only on request.
    private func start() {
        do {
            watch = try PathWatch(loop: loop, root: root, handler: weakly(self) { $0.handle($1) })
        } catch {
            context.warn("\(error); file changes go unnoticed")
        }
        for path in table.entries.keys { watch?.add(path.text) }
        readAll()
    }

    /// Stops watching, and keeps the values.
    private func stop() {
        watch = nil
        round = nil
        timer?.disarm()
    }

    /// Reads everything now, and calls back before it returns.
    func refresh(then completion: () -> Void) {
        readAll()
        report(table)
        completion()
    }

    /// Whether there are files that are not watched now.
    var mayLag: Bool { pace != .off && !table.left.isEmpty }

    /// Reads the files that are not watched now, and calls back before it returns.
    func update(then completion: () -> Void) {
        apply(table.readLeft(at: loop.now))
        schedule()
        report(table)
        completion()
    }

    /// The watched values, or freshly read values while nothing is watched.
    var current: FileTable<Value> { pace == .off ? readSeparately() : table }

    func readSeparately() -> FileTable<Value> {
        var table = unread
        _ = table.readAll(at: loop.now)
        return table
    }

    private func readAll() {
        apply(table.readAll(at: loop.now))
        schedule()
    }

    private func readDue() {
        let start = loop.now
        var round = self.round ?? Round(start: start, due: table.due(by: start))
        // Otherwise the list would be copied.
        self.round = nil
        let effects = table.read(&round.due, by: round.start, at: start) { loop.now - start < Round.turn }
        apply(effects)
        if effects.hasChanged { round.hasChanged = true }
        guard round.due.isEmpty else {
            self.round = round
            timer?.fire(after: .zero)
            return
        }
        schedule()
        if round.hasChanged { report(table) }
    }

    private func handle(_ notice: PathWatch.Notice) {
        switch notice {
        case .path(let path, let notice):
            table.notice(notice, of: ExactText(path), at: loop.now)
        case .entry(let directory, let name, let notice):
            apply(table.notice(notice, of: name, in: directory, at: loop.now))
        case .unreadableName: return
        case .refused(let error):
            return context.warn("\(error); changes in this directory are not detected")
        case .mounted:
            table.noticeOtherWays(at: loop.now)
        case .lost:
            context.overflowed()
            table.noticeLoss(at: loop.now)
        }
        // Events may come by the thousands, so the next deadline is computed after all of them.
        timer?.fire(after: .zero)
    }

    private func apply(_ effects: FileTable<Value>.Effects) {
        // Each warning begins with its path.
        for warning in effects.warnings { context.warn(table.real(warning)) }
        for path in effects.disappeared { watch?.remove(path) }
        for path in effects.appeared { watch?.add(path) }
    }

    private func schedule() {
        timer?.fire(at: watch == nil ? nil : table.deadline, on: loop)
    }
}
