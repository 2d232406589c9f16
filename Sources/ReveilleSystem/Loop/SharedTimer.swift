// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// One timer of a loop for everything that is read at intervals, which lets the wake-ups coincide.
///
/// A poll is due at a multiple of its interval since boot. Polls with one interval are therefore due at the same time,
/// however far apart they started, and so are polls whose intervals are multiples of each other. A poll also runs a
/// little early if another one is due. Loop thread only.
package final class SharedTimer {
    /// The fraction of an interval by which a poll may run early to share a wake-up.
    private static let earliness: UInt64 = 10
    /// The fraction of an interval that passes at least before a poll is due again; more than ``earliness``, since a
    /// poll that ran early would be due once more.
    private static let shortest: UInt64 = 8
    /// The longest time in microseconds between the moments on which polls are aligned, so that a poll with a long
    /// interval neither runs much earlier than requested nor causes a wake-up of its own.
    private static let longestGrain: UInt64 = 60_000_000

    /// A handler that is called at intervals, until it is released.
    package final class Poll {
        fileprivate let handler: () -> Void
        fileprivate var due: UInt64?
        fileprivate var leeway: UInt64 = 0
        private let timer: SharedTimer

        fileprivate init(_ timer: SharedTimer, handler: @escaping () -> Void) {
            self.timer = timer
            self.handler = handler
        }

        deinit {
            timer.polls[ObjectIdentifier(self)] = nil
            timer.schedule()
        }

        /// Schedules one call within an interval, in place of an earlier request.
        ///
        /// A handler that schedules its poll again with the same interval is called once an interval.
        package func fire(within interval: Duration) {
            let length = max(1, EventLoop.microseconds(interval))
            let grain = min(length, SharedTimer.longestGrain)
            let now = timer.loop.bootClock
            var moment = EventLoop.moment(in: length, from: now) / grain * grain
            if moment < now + length / SharedTimer.shortest { moment = EventLoop.moment(in: grain, from: moment) }
            due = moment
            leeway = grain / SharedTimer.earliness
            timer.schedule()
        }

        /// Cancels the next call.
        package func disarm() {
            due = nil
            timer.schedule()
        }
    }

    private struct Weak {
        weak var poll: Poll?
    }

    private let loop: any Loop
    private var timer: (any LoopSource)?
    private var polls: [ObjectIdentifier: Weak] = [:]
    private var isRunning = false

    /// Creates a timer without polls.
    package init(loop: any Loop) throws(SystemError) {
        self.loop = loop
        timer = try loop.timer(priority: .watcher) { [weak self] in self?.run() }
    }

    /// Creates a poll that is not scheduled.
    package func poll(handler: @escaping () -> Void) -> Poll {
        let poll = Poll(self, handler: handler)
        polls[ObjectIdentifier(poll)] = Weak(poll: poll)
        return poll
    }

    /// Calls the handlers that are due now or soon.
    private func run() {
        isRunning = true
        let now = loop.bootClock
        for poll in polls.values.compactMap(\.poll) {
            // A handler may schedule or disarm other polls.
            guard let due = poll.due, due <= EventLoop.moment(in: poll.leeway, from: now) else { continue }
            poll.due = nil
            poll.handler()
        }
        isRunning = false
        schedule()
    }

    private func schedule() {
        guard !isRunning else { return }
        guard let next = polls.values.lazy.compactMap({ $0.poll?.due }).min() else {
            timer?.disarm()
            return
        }
        let now = loop.bootClock
        timer?.fire(after: .microseconds(next > now ? next - now : 0))
    }
}
