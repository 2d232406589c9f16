// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Decides when to read one file, and whether what was read counts.
///
/// A file changes in steps: it is truncated, written, closed; or deleted and made anew; or replaced by a
/// file that is half a copy. What readers want is the state after the last step. So a read waits until the
/// file has settled, an empty or missing file is given a grace to fill, and one that cannot be understood
/// is read a few times more before its last good values are kept for good.
struct FileSettling: Sendable, Hashable {
    /// How long to wait for what.
    struct Timing: Sendable, Hashable {
        /// From the end of a write to the read.
        var readDelay: Duration
        /// For how long a missing or empty file keeps its values.
        var deletionGrace: Duration
    }

    /// What was seen to happen to the file.
    enum Notice: Sendable, Hashable {
        /// Bytes were written or cut off, and the writer has not closed the file.
        case written
        /// The file is complete, as far as can be told: closed, moved here, or the way to it has changed.
        case finished
        /// The file was deleted or moved away.
        case removed
        /// Its mode, owner or times changed.
        case touched
    }

    /// What a read came to.
    enum Outcome: Sendable, Hashable {
        case good, empty, missing, failed
    }

    /// What becomes of what was read.
    enum Verdict: Sendable, Hashable {
        /// It counts: the values, no values, or no file.
        case take
        /// The last good values stand; another read follows.
        case wait
        /// The last good values stand until the file changes again.
        case giveUp
    }

    /// The longest that changes keep a file from being read.
    ///
    /// A writer may keep its file open for good, or write without a pause.
    static let patience: Duration = .milliseconds(500)

    /// When to read again what could not be read or understood.
    ///
    /// Foundation on Linux writes a second time 50 ms after a write that failed.
    static let retries: [Duration] = [.milliseconds(50), .milliseconds(150), .milliseconds(150)]

    /// When the file is to be read next; `nil` for as long as nothing happens.
    private(set) var deadline: Instant?
    /// When the first change came that no read has answered.
    private var unreadSince: Instant?
    /// The last that was seen of a writer is that it writes.
    private var isBeingWritten = false
    /// When the file was first read empty or missing while it still has values.
    private var hollowSince: Instant?
    private var attempts = 0

    /// Takes note of a change.
    mutating func notice(_ notice: Notice, at now: Instant, timing: Timing) {
        if notice == .touched, deadline != nil { return }
        isBeingWritten = notice == .written
        attempts = 0
        let since = unreadSince ?? now
        unreadSince = since
        let wait = notice == .written ? Self.patience : timing.readDelay
        deadline = min(now + wait, since + max(Self.patience, timing.readDelay))
    }

    /// Judges what a read at the deadline came to, or one that somebody asked for and that waits for nothing.
    mutating func judge(_ outcome: Outcome, at now: Instant, timing: Timing, asked: Bool = false) -> Verdict {
        if !asked {
            deadline = nil
            unreadSince = nil
        }
        switch outcome {
        case .good:
            attempts = 0
            hollowSince = nil
            return .take
        case .failed:
            hollowSince = nil
            guard attempts < Self.retries.count else {
                attempts = 0
                return .giveUp
            }
            deadline = now + Self.retries[attempts]
            attempts += 1
            return .wait
        case .empty, .missing:
            let since = hollowSince ?? now
            let isSettled = asked ? outcome == .missing || !isBeingWritten : now - since >= timing.deletionGrace
            hollowSince = isSettled ? nil : since
            if !isSettled { deadline = since + timing.deletionGrace }
            return isSettled ? .take : .wait
        }
    }
}
