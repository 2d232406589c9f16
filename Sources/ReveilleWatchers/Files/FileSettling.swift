// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Decides when to read one file, and whether the result counts.
///
/// A file changes in steps: it is truncated, written and closed; or deleted and created again; or replaced by an
/// incomplete copy. Only the state after the last step matters. Therefore a read follows a short time after a write, an
/// empty or missing file keeps its values for a grace period, and invalid contents are read again a few times.
struct FileSettling: Sendable, Hashable {
    struct Timing: Sendable, Hashable {
        /// The time from the end of a write to the read.
        var readDelay: Duration
        /// How long a missing or empty file keeps its values.
        var deletionGrace: Duration
    }

    /// A change of the file.
    enum Notice: Sendable, Hashable {
        /// The file was written or truncated, and the writer has not closed it.
        case written
        /// The file is probably complete: it was closed or moved here, or the path leads elsewhere.
        case finished
        /// The file was deleted or moved away.
        case removed
        /// Its mode, owner or times changed.
        case touched
    }

    enum Outcome: Sendable, Hashable {
        case good, empty, missing, failed
    }

    enum Verdict: Sendable, Hashable {
        /// The result counts: the values, no values, or no file.
        case take
        /// The previous values are kept, and another read follows.
        case wait
        /// The previous values are kept until the file changes again.
        case giveUp
    }

    /// The longest time that changes delay a read, since a writer may write without a pause.
    static let patience: Duration = .milliseconds(500)

    /// The delays of the reads that follow a failed one; Foundation on Linux writes again 50 ms after a failed write.
    static let retries: [Duration] = [.milliseconds(50), .milliseconds(150), .milliseconds(150)]

    /// When the file must be read next; `nil` if it has not changed.
    private(set) var deadline: Instant?
    /// The time of the first change that has not been read.
    private var unreadSince: Instant?
    /// Whether the last notice was a write.
    private var isBeingWritten = false
    /// When the file was first found empty or missing while its values are kept.
    private var hollowSince: Instant?
    private var attempts = 0

    mutating func notice(_ notice: Notice, at now: Instant, timing: Timing) {
        if notice == .touched, deadline != nil { return }
        isBeingWritten = notice == .written
        attempts = 0
        let since = unreadSince ?? now
        unreadSince = since
        let wait = notice == .written ? Self.patience : timing.readDelay
        deadline = min(now + wait, since + max(Self.patience, timing.readDelay))
    }

    /// Judges the result of a read at the deadline, or of a requested read, which does not wait.
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
