// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// A loop with clocks that move only on request; a real loop watches its descriptors, and calls due handlers.
///
/// Loop thread only.
final class TestLoop: Loop {
    /// A descriptor, a timer or an alarm; the real loop learns of a deadline once it has come.
    final class Source: LoopSource, WallClockAlarm {
        private let loop: TestLoop
        private let source: EventSource
        fileprivate var deadline: UInt64?

        fileprivate init(_ source: EventSource, of loop: TestLoop) { (self.source, self.loop) = (source, loop) }

        func fire(after duration: Duration) {
            disarm()
            let time = EventLoop.moment(in: EventLoop.microseconds(duration), from: loop.bootClock)
            deadline = time < .max ? time : nil
            fireIfDue()
        }

        func set(to time: Int64) { fire(after: .microseconds(max(0, time) - loop.wallClock)) }

        fileprivate func fireIfDue() {
            guard let deadline, deadline <= loop.bootClock else { return }
            self.deadline = nil
            source.fire(after: .zero)
        }

        func disarm() {
            deadline = nil
            source.disarm()
        }

        func cancel() { source.cancel() }
        func setPriority(_ priority: EventSource.Priority) { source.setPriority(priority) }
        func rearm(_ interest: EventLoop.Interest) { source.rearm(interest) }
    }

    private struct Timer { weak let source: Source? }

    /// The last time of the boot clock, after 146,000 years: its sum with any usual duration can be represented.
    private static let end: UInt64 = 1 << 62

    private let loop: EventLoop
    private let start: Int64
    private(set) var bootClock: UInt64 = 0
    private var timers: [Timer] = []

    init(_ loop: EventLoop, at time: Int64) {
        self.loop = loop
        start = max(0, time)
    }

    var wallClock: Int64 { Int64(clamping: UInt64(start) + bootClock) }
    func threadClock(at _: UInt64) -> UInt64 { loop.threadClock }
    var endTurn: TurnEnds { loop.endTurn }

    func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, priority: EventSource.Priority,
        handler: @escaping (EventLoop.Interest) -> Void
    ) throws(SystemError) -> Source {
        Source(try loop.watch(descriptor, for: interest, priority: priority, handler: handler), of: self)
    }

    func timer(priority: EventSource.Priority, handler: @escaping () -> Void) throws(SystemError) -> Source {
        let source = Source(try loop.timer(priority: priority, handler: handler), of: self)
        timers = timers.filter { $0.source != nil } + [Timer(source: source)]
        return source
    }

    /// Creates an alarm; one that wakes the machine needs no privilege.
    func alarm(
        wakes: Bool, handler: @escaping (WallClockEvent) -> Void
    ) throws(SystemError) -> any WallClockAlarm {
        try timer(priority: .watcher) { handler(.expired) }
    }

    /// Moves the clocks to the next deadline, but by no more than the given time, and returns the rest of it.
    func advance(_ microseconds: UInt64) -> UInt64 {
        let deadline = timers.compactMap(\.source?.deadline).min() ?? .max
        let step = min(microseconds, deadline - bootClock, Self.end - bootClock)
        bootClock += step
        for timer in timers { timer.source?.fireIfDue() }
        return bootClock < Self.end ? microseconds - step : 0
    }
}
