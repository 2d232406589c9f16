// SPDX-License-Identifier: Apache-2.0

/// One timer of a loop for everything that is read at intervals, so that the wake-ups coincide.
///
/// A poll is due at a multiple of its interval since boot. Polls with one interval are therefore due at the same time,
/// however far apart they started, and so are polls whose intervals are multiples of each other. A poll also runs a
/// little early if another poll is due. Loop thread only.
package final class SharedTimer {
    /// The fraction of an interval that a poll may run early to share a wake-up.
    private static let earliness: UInt64 = 10
    /// The fraction of an interval that passes at least before a poll is due again; more than ``earliness``, since a
    /// poll that ran early would be due once more.
    private static let shortest: UInt64 = 8
    /// The longest time in microseconds between the moments that polls are aligned to, so that a poll with a long
    /// interval neither runs much earlier than requested nor causes a wake-up of its own.
    private static let longestGrain: UInt64 = 60_000_000

    /// A handler that is called at intervals, until this is released.
    package final class Poll {
        private let number: Int
        private let timer: SharedTimer

        fileprivate init(_ timer: SharedTimer, number: Int) {
            self.timer = timer
            self.number = number
        }

        deinit {
            timer.entries.removeAll { $0.number == number }
            timer.scheduleTimer()
        }

        /// Schedules one call within an interval, in place of an earlier request; with the same interval, once an interval.
        package func fire(within interval: Duration) {
            timer.schedule(number, within: interval)
        }

        package func disarm() {
            guard let place = timer.entries.firstIndex(where: { $0.number == number }) else { return }
            timer.entries[place].due = .max
            timer.scheduleTimer()
        }
    }

    /// The state of a poll, stored apart from it for fast searching.
    private struct Entry {
        let number: Int
        let handler: () -> Void
        /// The time since boot when the handler is called; the maximum means never.
        var due = UInt64.max
        /// How much earlier the handler may be called.
        var leeway: UInt64 = 0

        func isDue(at now: UInt64) -> Bool { due != .max && due <= EventLoop.moment(in: leeway, from: now) }
    }

    private let loop: any Loop
    private var timer: (any LoopSource)?
    private var entries: [Entry] = []
    private var lastNumber = 0
    private var isRunning = false

    package init(loop: any Loop) throws(SystemError) {
        self.loop = loop
        timer = try loop.timer(priority: .watcher) { [weak self] in self?.run() }
    }

    package func poll(handler: @escaping () -> Void) -> Poll {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, handler: handler))
        return Poll(self, number: lastNumber)
    }

    private func schedule(_ number: Int, within interval: Duration) {
        guard let place = entries.firstIndex(where: { $0.number == number }) else { return }
        let length = max(1, EventLoop.microseconds(interval))
        let grain = min(length, Self.longestGrain)
        let now = loop.bootClock
        var moment = EventLoop.moment(in: length, from: now) / grain * grain
        if moment < now + length / Self.shortest { moment = EventLoop.moment(in: grain, from: moment) }
        entries[place].due = moment
        entries[place].leeway = grain / Self.earliness
        scheduleTimer()
    }

    /// Calls the handlers that are due now or soon.
    private func run() {
        isRunning = true
        let now = loop.bootClock
        for number in entries.filter({ $0.isDue(at: now) }).map(\.number) {
            // A handler may schedule, disarm or release other polls.
            guard let place = entries.firstIndex(where: { $0.number == number }), entries[place].isDue(at: now) else {
                continue
            }
            entries[place].due = .max
            let handler = entries[place].handler
            handler()
        }
        isRunning = false
        scheduleTimer()
    }

    private func scheduleTimer() {
        guard !isRunning else { return }
        var next = UInt64.max
        for place in entries.indices { next = min(next, entries[place].due) }
        guard next != .max else {
            timer?.disarm()
            return
        }
        let now = loop.bootClock
        timer?.fire(after: .microseconds(next > now ? next - now : 0))
    }
}
