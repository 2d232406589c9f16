// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CSystemd
import Glibc

/// The one thread's loop: descriptors, timers and signals, on sd-event.
///
/// Created, used and released on one thread. Handlers run on it, one at a time.
package final class EventLoop: Loop {
    /// What to wait for on a descriptor, and what came.
    package struct Interest: OptionSet, Sendable {
        /// The flags of epoll_ctl(2).
        package let rawValue: UInt32
        /// Makes a set of its flags.
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// There is something to read, or an end to see.
        package static let readable = Interest(rawValue: EPOLLIN.rawValue)
        /// A file of the kernel's has changed since it was read last.
        package static let changed = Interest(rawValue: EPOLLPRI.rawValue)
        /// There is room to write; together with ``edge``, the peer has read something.
        package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The peer will write no more, though it may still read.
        package static let halfClosed = Interest(rawValue: EPOLLRDHUP.rawValue)
        /// The peer is gone; always waited for.
        package static let hungUp = Interest(rawValue: EPOLLHUP.rawValue)
        /// An error is pending; always waited for.
        package static let failed = Interest(rawValue: EPOLLERR.rawValue)
        /// Told once when it becomes so, not for as long as it is so.
        package static let edge = Interest(rawValue: EPOLLET.rawValue)
    }

    private let event: OpaquePointer

    /// Makes a loop of its own.
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

    package var threadClock: UInt64 { UInt64(max(0, Clocks.thread())) }

    /// Runs until ``exit()``.
    package func run() throws(SystemError) {
        let result = sd_event_loop(event)
        guard result >= 0 else { throw SystemError("sd_event_loop", code: -result) }
    }

    /// Ends ``run()`` once the handler that calls it has returned.
    package func exit() {
        sd_event_exit(event, 0)
    }

    /// Tells the supervisor's watchdog for as long as the loop turns (sd_event_set_watchdog(3)).
    package func enableWatchdog() {
        sd_event_set_watchdog(event, 1)
    }

    /// Waits for a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: Borrowed; must stay open for as long as the source is kept.
    ///   - interest: What to wait for; ``Interest/hungUp`` and ``Interest/failed`` come unasked.
    ///   - priority: What goes first when several are due.
    ///   - handler: Gets what came, each time it comes.
    /// - Returns: The source; waiting ends when it is released.
    /// - Throws: `SystemError` when the descriptor cannot be waited for.
    package func watch(
        _ descriptor: Int32, for interest: Interest, priority: EventSource.Priority,
        handler: @escaping (Interest) -> Void
    ) throws(SystemError) -> EventSource {
        let source = EventSource { handler(Interest(rawValue: $0)) }
        let result = sd_event_add_io(
            event, &source.source, descriptor, interest.rawValue,
            { _, _, events, userdata in EventSource.dispatch(userdata, events) }, source.userdata)
        try source.finish(result, "sd_event_add_io", priority: priority)
        return source
    }

    /// Makes a timer that fires once each time that it is set; ``EventSource/fire(after:)`` sets it.
    package func timer(
        priority: EventSource.Priority, handler: @escaping () -> Void
    ) throws(SystemError) -> EventSource {
        let source = EventSource { _ in handler() }
        let result = sd_event_add_time(
            event, &source.source, CLOCK_BOOTTIME, UInt64.max, 1,
            { _, _, userdata in EventSource.dispatch(userdata) }, source.userdata)
        try source.finish(result, "sd_event_add_time", priority: priority)
        source.disarm()
        return source
    }

    /// Handles a signal on the loop instead of wherever it interrupts; blocks it in this thread.
    package func onSignal(_ signal: Int32, handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        let source = EventSource { _ in handler() }
        Self.block(signal)
        let result = sd_event_add_signal(
            event, &source.source, signal,
            { _, _, userdata in EventSource.dispatch(userdata) }, source.userdata)
        try source.finish(result, "sd_event_add_signal", priority: .watcher)
        return source
    }

    /// Has a signal wait until ``onSignal(_:handler:)`` handles it, instead of ending the process.
    package static func block(_ signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// A time in whole microseconds, rounded up: 0 for one that is over, `UInt64.max` for more than can be counted.
    package static func microseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let attosecondsPerMicrosecond: Int64 = 1_000_000_000_000
        let rest = UInt64((attoseconds + attosecondsPerMicrosecond - 1) / attosecondsPerMicrosecond)
        let (sum, isStillTooLong) = whole.addingReportingOverflow(rest)
        return isTooLong || isStillTooLong ? .max : sum
    }

    /// The moment so many microseconds from now, as `CLOCK_BOOTTIME` has it; `UInt64.max`, never, for one that it
    /// does not reach.
    package static func moment(in microseconds: UInt64, from now: UInt64) -> UInt64 {
        let (moment, isTooLate) = microseconds.addingReportingOverflow(now)
        return isTooLate ? .max : moment
    }

    /// How late a timer may fire so that several can share a wake-up: a hundredth of its interval, a second at most.
    ///
    /// Never 0, which sd_event_add_time(3) takes for 250 ms.
    package static func accuracy(_ microseconds: UInt64) -> UInt64 {
        min(max(1, microseconds / 100), 1_000_000)
    }
}
