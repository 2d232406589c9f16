// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// A thread's event loop for descriptors, timers and signals, based on epoll(7).
///
/// It must be created, used and released on one thread, on which handlers run one at a time. The loop asks the kernel
/// again before each handler, so a source waits for at most one handler of a lower priority.
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
        /// Whether the peer has stopped writing.
        package var isLast: Bool { rawValue & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 }
        /// Whether the peer has read something or closed the connection.
        package var canWrite: Bool { rawValue & EPOLLOUT.rawValue != 0 }
        /// Whether the connection cannot be used any more, except that a peer that hung up may have sent calls.
        package var isDisconnected: Bool { rawValue & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 }
    }

    /// How old the processor time may be, in microseconds; two system calls for each turn took 7% of the time of a post.
    private static let threadClockAccuracy: UInt64 = 200

    /// The most events that the kernel reports at once; the others follow before the next handler.
    private static let eventsPerWait = 64

    private let epoll: OwnedDescriptor
    private let clock: OwnedDescriptor
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: eventsPerWait)
    private var due = DueSources()
    private var timers = TimerQueue()
    private var isFinished = false
    /// The processor time, and the time since boot when it was read.
    private var threadTime: (value: UInt64, readAt: UInt64) = (0, 0)

    package let endTurn = TurnEnds()

    package init() throws(SystemError) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("epoll_create1") }
        self.epoll = OwnedDescriptor(epoll)
        let clock = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard clock >= 0 else { throw SystemError("timerfd_create") }
        self.clock = OwnedDescriptor(clock)
        // An edge needs no read. The address of the clock is none.
        try control(EPOLL_CTL_ADD, clock, [.readable, .edge], of: nil)
    }

    deinit {
        events.deallocate()
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
        while !isFinished {
            try wait()
            guard let source = due.takeFirst() else { continue }
            // The handler may release the source.
            source.handler(source.takeConditions())
            endTurn()
        }
    }

    /// Ends ``run()`` after the current handler has returned.
    package func exit() { isFinished = true }

    /// Waits until a source is due, and finds all that are.
    private func wait() throws(SystemError) {
        if timers.hasChanged { updateTimers() }
        // A source of a high priority may be among those that did not fit.
        while try poll(atMost: due.isEmpty ? -1 : 0) {}
    }

    /// Finds sources that are due, and returns whether there may be more.
    private func poll(atMost milliseconds: Int32) throws(SystemError) -> Bool {
        let count = epoll_wait(epoll.number, events, Int32(Self.eventsPerWait), milliseconds)
        guard count >= 0 else {
            if errno == EINTR { return false }
            throw SystemError("epoll_wait")
        }
        var areNew = false
        for event in UnsafeBufferPointer(start: events, count: Int(count)) {
            guard let address = event.data.ptr else {
                updateTimers()
                continue
            }
            // A source that has ended is unknown to the kernel.
            let source = Unmanaged<DueSource>.fromOpaque(address).takeUnretainedValue()
            areNew = areNew || !source.isDue
            source.add(event.events)
            due.add(source)
        }
        return areNew && count == Self.eventsPerWait
    }

    /// Adds the timers that are due, and sets the clock to the next one.
    private func updateTimers() {
        let now = bootClock
        while let source = timers.takeFirst(at: now) { due.add(source) }
        guard let next = timers.nextSetting() else { return }
        var time = itimerspec()
        if next != .max {
            time.it_value = timespec(tv_sec: Int(next / 1_000_000), tv_nsec: Int(max(1, next % 1_000_000 * 1_000)))
        }
        timerfd_settime(clock.number, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ interest: Interest, of source: DueSource?
    ) throws(SystemError) {
        let address = source.map { Unmanaged.passUnretained($0).toOpaque() }
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(ptr: address))
        guard epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
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
        let source = DueSource(priority) { handler(Interest(rawValue: $0)) }
        try control(EPOLL_CTL_ADD, descriptor, interest, of: source)
        return EventSource(source, of: self, descriptor: descriptor)
    }

    /// Creates a timer that fires once each time it is set with ``EventSource/fire(after:)``.
    package func timer(
        priority: EventSource.Priority = .normal, handler: @escaping () -> Void
    ) throws(SystemError) -> EventSource {
        EventSource(DueSource(priority) { _ in handler() }, of: self)
    }

    /// Handles a signal on the loop, and blocks it in this thread.
    package func onSignal(_ signal: Int32, handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        Self.block(signal)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        let number = signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        guard number >= 0 else { throw SystemError("signalfd") }
        let descriptor = OwnedDescriptor(number)
        let source = DueSource(.watcher) { _ in
            var received = signalfd_siginfo()
            // The signal may have been taken by another loop of the process.
            if read(number, &received, MemoryLayout<signalfd_siginfo>.size) > 0 { handler() }
        }
        try control(EPOLL_CTL_ADD, number, .readable, of: source)
        return EventSource(source, of: self, owning: descriptor)
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
    package static func accuracy(_ microseconds: UInt64) -> UInt64 {
        min(microseconds / 100, 1_000_000)
    }
}

extension EventLoop {
    func end(_ source: DueSource, descriptor: Int32?) {
        due.remove(source)
        timers.remove(source)
        source.end()
        if let descriptor { try? control(EPOLL_CTL_DEL, descriptor, [], of: nil) }
    }

    func set(_ source: DueSource, at time: UInt64, accuracy: UInt64) {
        due.remove(source)
        timers.set(source, at: time, accuracy: accuracy)
    }

    func rearm(_ source: DueSource, descriptor: Int32, _ interest: Interest) {
        try? control(EPOLL_CTL_MOD, descriptor, interest, of: source)
    }
}
