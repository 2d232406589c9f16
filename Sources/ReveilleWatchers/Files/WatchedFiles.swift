// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// The files of a watcher, kept up to date for as long as they are watched.
///
/// Loop thread only.
final class WatchedFiles<Value: Equatable> {
    /// The files and their last good values.
    private(set) var table: FileTable<Value>
    /// Called when files were read that somebody is to be told of.
    var read: () -> Void = {}
    /// Off, nothing is watched; at any other pace everything is, since it costs nothing until it changes.
    var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            if pace == .off { return stop() }
            start()
            read()
        }
    }

    private let loop: EventLoop
    private let root: String
    private let warn: (String) -> Void
    private let overflowed: () -> Void
    private var watch: PathWatch?
    private var timer: EventSource?
    private var round: Round?

    /// Reading of what was due at one time, in as many turns of the loop as that takes, and told at its end.
    private struct Round {
        /// How long to read before others get their turn.
        ///
        /// Enough for many small files, and a delay that no client notices.
        static var turn: Duration { .milliseconds(2) }

        let start: Instant
        var hasChanged = false
    }

    /// Makes files that are not watched yet, nor read.
    ///
    /// - Throws: `SystemError` when the loop refuses a timer.
    init(
        loop: EventLoop, root: String, table: FileTable<Value>, context: WatcherContext
    ) throws(SystemError) {
        self.table = table
        self.loop = loop
        self.root = root
        warn = context.warn
        overflowed = context.overflowed
        timer = try loop.timer(priority: .watcher) { [weak self] in self?.readDue() }
    }

    /// Starts to watch, and reads everything.
    ///
    /// Where watching is impossible, that is told, and files are read when asked for alone.
    private func start() {
        do {
            watch = try PathWatch(loop: loop, root: root) { [weak self] in self?.handle($0) }
        } catch {
            warn("\(error); changes of files are not noticed")
        }
        for path in table.entries.keys { watch?.add(path) }
        readAll()
    }

    /// Ends watching; what was read stands.
    private func stop() {
        watch = nil
        round = nil
        timer?.disarm()
    }

    /// Reads everything now, waits for nothing to settle, and calls back before it returns.
    func refresh(then completion: () -> Void) {
        readAll()
        read()
        completion()
    }

    private func readAll() {
        apply(table.readAll(at: Self.now))
        schedule()
    }

    private func readDue() {
        let start = Self.now
        let round = round ?? Round(start: start)
        let effects = table.readDue(by: round.start, at: start) { Self.now - start < Round.turn }
        apply(effects)
        let hasChanged = round.hasChanged || effects.hasChanged
        if effects.isUnfinished {
            self.round = Round(start: round.start, hasChanged: hasChanged)
            timer?.fire(after: .zero)
            return
        }
        self.round = nil
        schedule()
        if hasChanged { read() }
    }

    private func handle(_ notice: PathWatch.Notice) {
        switch notice {
        case .path(let path, let notice):
            table.notice(notice, of: path, at: Self.now)
        case .entry(let directory, let name, let notice):
            apply(table.notice(notice, of: name, in: directory, at: Self.now))
        case .refused(let error):
            return warn("\(error); changes in this directory are not noticed")
        case .mounted:
            table.noticeOtherWays(at: Self.now)
        case .lost:
            overflowed()
            table.noticeLoss(at: Self.now)
        }
        // Events come by the thousands; what is due next is looked up once all that wait have been noted.
        timer?.fire(after: .zero)
    }

    private func apply(_ effects: FileTable<Value>.Effects) {
        // Each begins with its path.
        for warning in effects.warnings { warn(table.real(warning)) }
        for path in effects.disappeared { watch?.remove(path) }
        for path in effects.appeared { watch?.add(path) }
    }

    private func schedule() {
        guard watch != nil, let deadline = table.deadline else {
            timer?.disarm()
            return
        }
        timer?.fire(after: deadline - Self.now)
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot()) }
}
