// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// One closure that observes an aspect: what waits for it, and since when it has been running; any thread.
final class Observer: Sendable {
    private struct Run {
        var since: Int64?
        var isReported = false
    }

    let mailbox = Mailbox()
    private let run = Lock(Run())

    /// Hands events to a closure until it is cancelled; on the caller's actor.
    func deliver(isolation: isolated (any Actor)?, to handler: (Event) -> Void) async {
        while let event = try? await mailbox.next(isolation: isolation) {
            run.withLock { $0.since = Clocks.boot() }
            handler(event)
            run.withLock { $0.since = nil }
        }
    }

    /// Whether the closure is running.
    var isRunning: Bool { run.withLock { $0.since != nil } }

    /// Says, once, that the closure has been running for longer than a time.
    func isOverdue(after patience: Duration) -> Bool {
        run.withLock { run in
            guard let since = run.since, !run.isReported else { return false }
            run.isReported = Clocks.boot() - since > Int64(patience / .microseconds(1))
            return run.isReported
        }
    }
}
