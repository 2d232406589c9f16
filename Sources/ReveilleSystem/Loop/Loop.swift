// SPDX-License-Identifier: Apache-2.0

/// An event loop as a service requires it: ``EventLoop``, or in tests a loop with controlled time and order.
package protocol Loop: AnyObject {
    associatedtype Source: LoopSource

    /// The wall-clock time in microseconds since 1970, UTC.
    var wallClock: Int64 { get }

    /// The time since boot in microseconds, including suspend; it never decreases.
    var bootClock: UInt64 { get }

    /// Returns the processor time of the thread in microseconds, at the current ``bootClock``; time spent waiting for a
    /// processor hardly counts.
    ///
    /// It may be ahead by up to 200 microseconds, and then go back; see ``threadTime(since:at:)``.
    func threadClock(at now: UInt64) -> UInt64

    /// The end of each turn.
    var endTurn: TurnEnds { get }

    /// Waits for a descriptor; see ``EventLoop/watch(_:for:priority:handler:)``.
    func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, priority: EventSource.Priority,
        handler: @escaping (EventLoop.Interest) -> Void
    ) throws(SystemError) -> Source

    /// Creates a timer that is not set; see ``EventLoop/timer(priority:handler:)``.
    func timer(priority: EventSource.Priority, handler: @escaping () -> Void) throws(SystemError) -> Source

    /// Creates an alarm that is not set; see ``EventLoop/alarm(wakes:handler:)``.
    ///
    /// An alarm that `wakes` the machine from its sleep throws `EPERM` without the capability CAP_WAKE_ALARM, and
    /// `EOPNOTSUPP` on a machine without a clock that can wake it.
    func alarm(
        wakes: Bool, handler: @escaping (WallClockEvent) -> Void
    ) throws(SystemError) -> any WallClockAlarm

    /// Does work that may block, such as waiting for a disk, on a thread of its own, and then calls the completion on
    /// the loop.
    ///
    /// Work that is released is still done, without its completion.
    func detach(
        _ work: @escaping @Sendable () -> Void, then completion: @escaping () -> Void
    ) throws(SystemError) -> any DetachedWork
}

extension Loop {
    package var threadClock: UInt64 { threadClock(at: bootClock) }

    /// Returns the processor time of the thread since a time of ``threadClock``.
    package func threadTime(since start: UInt64) -> UInt64 { threadTime(since: start, at: bootClock) }

    package func threadTime(since start: UInt64, at now: UInt64) -> UInt64 {
        let end = threadClock(at: now)
        return end > start ? end - start : 0
    }

    package func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, handler: @escaping (EventLoop.Interest) -> Void
    ) throws(SystemError) -> any LoopSource {
        try watch(descriptor, for: interest, priority: .normal, handler: handler)
    }

    package func timer(handler: @escaping () -> Void) throws(SystemError) -> any LoopSource {
        try timer(priority: .normal, handler: handler)
    }

    package func alarm(handler: @escaping (WallClockEvent) -> Void) throws(SystemError) -> any WallClockAlarm {
        try alarm(wakes: false, handler: handler)
    }
}

/// An event source of a ``Loop``; releasing the source ends it.
package protocol LoopSource: AnyObject {
    /// Ends the source immediately; may be called from its own handler.
    func cancel()
    /// Sets a timer to fire once after an interval; replaces an earlier setting.
    func fire(after duration: Duration)
    /// Stops a timer until the next ``fire(after:)``.
    func disarm()
    /// Changes the order among sources that are due at the same time.
    func setPriority(_ priority: EventSource.Priority)
    /// Rearms edge-triggered conditions, so that a condition that was already reported is reported again.
    func rearm(_ interest: EventLoop.Interest)
}

/// The reason why a ``WallClockAlarm`` calls its handler.
package enum WallClockEvent: Sendable, Hashable {
    case expired
    /// The clock was set or the machine resumed, without a distinction; the time may have come too.
    case clockChanged
}

/// A timer that is set to a time of the wall clock; releasing the alarm ends it.
package protocol WallClockAlarm: AnyObject {
    /// Sets the alarm to a time in microseconds since 1970; replaces an earlier setting.
    ///
    /// It is never early by the wall clock. A time that has passed is due at once.
    func set(to time: Int64)
}

/// Calls that the loop makes after the current handler has returned, in order.
///
/// Loop thread only. A completion that is called before its function returns finds its caller in the middle of a change.
package final class DeferredCalls {
    private let loop: any Loop
    private let priority: EventSource.Priority
    private var calls: [() -> Void] = []
    private var timer: (any LoopSource)?

    package init(loop: any Loop, priority: EventSource.Priority = .normal) {
        self.loop = loop
        self.priority = priority
    }

    /// Adds a call; it is dropped if this object is released before.
    package func add(_ call: @escaping () -> Void) {
        if timer == nil { timer = try? loop.timer(priority: priority) { [weak self] in self?.run() } }
        // Without memory for a timer, a call that is early is better than none.
        guard let timer else { return call() }
        calls.append(call)
        timer.fire(after: .zero)
    }

    private func run() {
        let due = calls
        (calls, timer) = ([], nil)
        for call in due { call() }
    }
}
