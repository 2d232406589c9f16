// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A thread's event loop for descriptors, timers and signals, based on sd-event.
///
/// It must be created, used and released on one thread, on which handlers run one at a time.
package final class EventLoop: Loop {
    /// The conditions of a descriptor to wait for, or the conditions that occurred.
    package struct Interest: OptionSet, Sendable {
        /// The flags of epoll_ctl(2).
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Data, or the end of the stream, can be read.
        package static let readable = Interest(rawValue: EPOLLIN.rawValue)
        /// A kernel file has changed since it was last read, or a socket has out-of-band data.
        package static let changed = Interest(rawValue: EPOLLPRI.rawValue)
        /// Data can be written; together with ``edge``, the peer has read something.
        package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The peer has stopped writing but may still read.
        package static let halfClosed = Interest(rawValue: EPOLLRDHUP.rawValue)
        /// The peer has closed the connection; always reported.
        package static let hungUp = Interest(rawValue: EPOLLHUP.rawValue)
        /// An error is pending; always reported.
        package static let failed = Interest(rawValue: EPOLLERR.rawValue)
        /// Report a condition once when it begins rather than for as long as it lasts.
        package static let edge = Interest(rawValue: EPOLLET.rawValue)

        // Each connection's event asks these. Building a set of conditions first would take longer than the rest.

        /// Whether a read returns bytes, the end of the stream or an error.
        package var canRead: Bool { rawValue & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 }
        package var hasChanged: Bool { rawValue & EPOLLPRI.rawValue != 0 }
        /// Whether the peer will write no more.
        package var isLast: Bool { rawValue & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 }
        /// Whether the peer has read something or closed the connection.
        package var canWrite: Bool { rawValue & EPOLLOUT.rawValue != 0 }
        /// Whether the connection cannot be used any more, except that a peer that hung up may have sent calls.
        package var isDisconnected: Bool { rawValue & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 }
    }

    /// How old the processor time may be, in microseconds; two system calls for each turn took 7% of the time of a post.
    private static let threadClockAccuracy: UInt64 = 200

    /// The sd-event object; libsystemd attaches other sources to it.
    let event: OpaquePointer
    /// The processor time, and the time since boot when it was read.
    private var threadTime: (value: UInt64, readAt: UInt64) = (0, 0)

    package let endTurn = TurnEnds()

    package init() throws(SystemError) {
        var event: OpaquePointer?
        let result = sd_event_new(&event)
        guard result >= 0, let event else { throw SystemError("sd_event_new", code: -result) }
        self.event = event
    }

    deinit {
        sd_event_unref(event)
    }

    package var wallClock: Int64 { Clocks.wall() }

    package var bootClock: UInt64 { UInt64(max(0, Clocks.boot())) }

    package func threadClock(at now: UInt64) -> UInt64 {
        if now - threadTime.readAt >= Self.threadClockAccuracy {
            threadTime = (UInt64(max(0, Clocks.thread())), now)
        }
        return threadTime.value + (now - threadTime.readAt)
    }

    package func run() throws(SystemError) {
        while sd_event_get_state(event) != SD_EVENT_FINISHED {
            let result = sd_event_run(event, .max)
            guard result >= 0 else { throw SystemError("sd_event_run", code: -result) }
            endTurn()
        }
    }

    /// Ends ``run()`` after the current handler has returned.
    package func exit() {
        sd_event_exit(event, 0)
    }

    /// Notifies the supervisor's watchdog while the loop is running (sd_event_set_watchdog(3)).
    package func enableWatchdog() {
        sd_event_set_watchdog(event, 1)
    }

    /// Calls a handler whenever conditions of a borrowed descriptor occur, until the source is released.
    ///
    /// The descriptor must remain open meanwhile. ``Interest/hungUp`` and ``Interest/failed`` are always included.
    ///
    /// - Throws: `SystemError` if the descriptor does not support waiting.
    package func watch(
        _ descriptor: Int32, for interest: Interest, priority: EventSource.Priority = .normal,
        handler: @escaping (Interest) -> Void
    ) throws(SystemError) -> EventSource {
        let source = EventSource { handler(Interest(rawValue: $0)) }
        let result = sd_event_add_io(
            event, &source.source, descriptor, interest.rawValue,
            { _, _, events, userdata in EventSource.dispatch(userdata, events) }, source.userdata)
        try source.finish(result, "sd_event_add_io", priority: priority)
        return source
    }

    /// Creates a timer that fires once each time it is set with ``EventSource/fire(after:)``.
    package func timer(
        priority: EventSource.Priority = .normal, handler: @escaping () -> Void
    ) throws(SystemError) -> EventSource {
        let source = EventSource { _ in handler() }
        let result = sd_event_add_time(
            event, &source.source, CLOCK_BOOTTIME, UInt64.max, 1,
            { _, _, userdata in EventSource.dispatch(userdata) }, source.userdata)
        try source.finish(result, "sd_event_add_time", priority: priority)
        source.disarm()
        return source
    }

    /// Handles a signal on the loop, and blocks it in this thread.
    package func onSignal(_ signal: Int32, handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        let source = EventSource { _ in handler() }
        Self.block(signal)
        let result = sd_event_add_signal(
            event, &source.source, signal,
            { _, _, userdata in EventSource.dispatch(userdata) }, source.userdata)
        try source.finish(result, "sd_event_add_signal", priority: .watcher)
        return source
    }

    /// Blocks a signal so that it remains pending until ``onSignal(_:handler:)`` handles it.
    package static func block(_ signal: Int32) { setMask(SIG_BLOCK, signal) }

    /// Blocks or unblocks a signal in this thread.
    package static func setMask(_ operation: Int32, _ signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(operation, &signals, nil)
    }

    /// Converts to whole microseconds, rounded up: 0 if negative, `UInt64.max` if out of range.
    package static func microseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let attosecondsPerMicrosecond: Int64 = 1_000_000_000_000
        let rest = UInt64((attoseconds + attosecondsPerMicrosecond - 1) / attosecondsPerMicrosecond)
        let (sum, isStillTooLong) = whole.addingReportingOverflow(rest)
        return isTooLong || isStillTooLong ? .max : sum
    }

    /// Returns the time on `CLOCK_BOOTTIME` after an interval in microseconds; `UInt64.max`, for never, if it is out of
    /// range.
    package static func moment(in microseconds: UInt64, from now: UInt64) -> UInt64 {
        let (moment, isTooLate) = microseconds.addingReportingOverflow(now)
        return isTooLate ? .max : moment
    }

    /// Returns how late a timer may fire so that several can share a wake-up: 1% of its interval, at most a second.
    ///
    /// The result is never 0, which means 250 ms to sd_event_add_time(3).
    package static func accuracy(_ microseconds: UInt64) -> UInt64 {
        min(max(1, microseconds / 100), 1_000_000)
    }
}
