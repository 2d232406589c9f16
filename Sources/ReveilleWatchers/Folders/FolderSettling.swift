// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Decides when to scan one folder, and which results count.
///
/// Notices only say that something may be different. A scan follows a short time after the last notice. A folder that
/// is missing or was replaced keeps its names for a grace period, since its replacement may be filled next. A file that
/// is being written keeps its last state until it is closed.
struct FolderSettling {
    /// The longest time that further changes delay a scan.
    static let patience: Duration = .milliseconds(500)
    /// How long a file counts as being written after a write without a close, since it may be open forever.
    static let quiet: Duration = .seconds(1)
    /// The largest number of files that can be in the process of being written; further files are taken as they are.
    static let writtenLimit = 1_000
    /// The pause after a scan, in durations of that scan: scanning takes at most a tenth of the time.
    private static let rest = 9

    enum Outcome {
        /// The names of the folder that was scanned before, or of the first folder.
        case same
        /// The names of another folder in its place, or no folder.
        case other
        case failed
    }

    private let timing: FileSettling.Timing
    private var deadline: Instant?
    /// The time of the first notice since the start of the last scan.
    private var noticedAt: Instant?
    /// The time of the first notice that no result reflects.
    private var outdatedSince: Instant?
    /// When the folder was first found missing or replaced while its names are kept.
    private var hollowSince: Instant?
    /// The end of the pause after the last scan.
    private var restedAt = Instant(microseconds: 0)
    /// The time of the last write to each file that is being written.
    private var writes: [EntryName: Instant] = [:]
    private var attempts = 0

    init(timing: FileSettling.Timing) {
        self.timing = timing
    }

    /// When the folder must be scanned next; `nil` if nothing has changed.
    var nextScan: Instant? {
        let closed = writes.values.min().map { $0 + Self.quiet }
        return [deadline, closed].compactMap { $0 }.min().map { max($0, restedAt) }
    }

    /// Notes that anything may be different.
    mutating func noticeLoss(at now: Instant) {
        writes = [:]
        notice(at: now)
    }

    mutating func notice(_ notice: FileSettling.Notice, of name: EntryName, at now: Instant) {
        switch notice {
        case .written where writes.count < Self.writtenLimit || writes[name] != nil:
            writes[name] = now
        case .touched:
            self.notice(at: now)
        case .written, .finished, .removed:
            writes[name] = nil
            self.notice(at: now)
        }
    }

    /// Notes that something may be different.
    mutating func notice(at now: Instant) {
        let since = noticedAt ?? now
        noticedAt = since
        outdatedSince = outdatedSince ?? now
        attempts = 0
        deadline = min(now + timing.readDelay, since + max(Self.patience, timing.readDelay))
    }

    /// Begins a scan; notices from now on require another scan.
    mutating func begin(at now: Instant) {
        deadline = nil
        noticedAt = nil
        for (name, last) in writes where last + Self.quiet <= now { writes[name] = nil }
    }

    var isWriting: Bool { !writes.isEmpty }

    /// Returns whether a file is being written, so that its last state counts.
    func isBeingWritten(_ name: EntryName) -> Bool {
        writes[name] != nil
    }

    /// Returns whether the result of a scan is to be ignored, since something changed meanwhile.
    ///
    /// After a rename, the result may contain both names or neither. A folder that changes all the time is taken as it
    /// was seen.
    func isOutdated(at now: Instant) -> Bool {
        noticedAt != nil && outdatedSince.map { now - $0 < Self.patience } == true
    }

    /// Returns whether the result of a scan counts.
    mutating func judge(_ outcome: Outcome, start: Instant, at now: Instant, asked: Bool) -> Bool {
        restedAt = now + (now - start) * Self.rest
        switch outcome {
        case .same:
            hollowSince = nil
            outdatedSince = noticedAt
            return true
        case .failed:
            hollowSince = nil
            // A lack of memory or of descriptors may have ended by the next scan.
            if attempts < Pace.retries.count {
                let retry = now + Pace.retries[attempts]
                deadline = deadline.map { min($0, retry) } ?? retry
                attempts += 1
            }
            return false
        case .other:
            let since = hollowSince ?? now
            let isSettled = asked || now - since >= timing.deletionGrace
            hollowSince = isSettled ? nil : since
            if isSettled { outdatedSince = noticedAt }
            if !isSettled { deadline = since + timing.deletionGrace }
            return isSettled
        }
    }
}
