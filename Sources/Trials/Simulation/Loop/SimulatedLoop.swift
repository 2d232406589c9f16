// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// An event loop with a clock that advances only on request, and with a random order of events.
///
/// Deadlines use the real loop's arithmetic, so that unrepresentable durations are found.
package final class SimulatedLoop: Loop {
    /// A descriptor or a timer.
    package final class Source: LoopSource {
        fileprivate let handler: (EventLoop.Interest) -> Void
        private let loop: SimulatedLoop
        /// The index of the source's state in the loop.
        fileprivate var place = 0

        fileprivate init(_ loop: SimulatedLoop, handler: @escaping (EventLoop.Interest) -> Void) {
            self.loop = loop
            self.handler = handler
        }

        deinit {
            loop.places[place] = nil
            loop.sourceCount -= 1
        }

        package func cancel() {
            loop.places[place]?.isCanceled = true
            disarm()
        }

        package func fire(after duration: Duration) {
            let microseconds = EventLoop.microseconds(duration)
            let late = EventLoop.accuracy(microseconds).multipliedFullWidth(by: loop.lateness)
            let due = EventLoop.moment(in: microseconds, from: loop.bootClock)
            arm(at: EventLoop.moment(in: late.high << 56 | late.low >> 8, from: due))
        }

        /// Sets a timer that is never late, like the kernel's timers.
        func fire(exactlyAfter microseconds: UInt64) {
            arm(at: EventLoop.moment(in: microseconds, from: loop.bootClock))
        }

        private func arm(at time: UInt64) {
            loop.places[place]?.time = time
            loop.places[place]?.isArmed = true
        }

        package func setPriority(_ priority: EventSource.Priority) {
            loop.places[place]?.priority = priority
        }

        package func disarm() {
            loop.places[place]?.isArmed = false
        }

        package func rearm(_ interest: EventLoop.Interest) {
            guard let descriptor = loop.places[place]?.descriptor else { return }
            loop.places[place]?.interest = interest
            loop.places[place]?.pending.formUnion(loop.streams[descriptor]?.readiness ?? [])
        }
    }

    /// The state of a source, stored apart from the source for fast searching.
    fileprivate struct Place {
        unowned let source: Source
        let descriptor: Int32?
        var priority: EventSource.Priority
        /// The conditions to report, besides the conditions that are always reported.
        var interest: EventLoop.Interest = []
        /// The conditions to report next; repeated edges are reported once.
        var pending: EventLoop.Interest = [] {
            didSet { pending.formIntersection(interest.union([.hungUp, .failed])) }
        }
        /// The deadline of a timer on the boot clock.
        var time = UInt64.max
        var isArmed = false
        var isCanceled = false

        var deadline: UInt64? { isArmed && !isCanceled ? time : nil }

        func isDue(at now: UInt64) -> Bool {
            !isCanceled && (!pending.isEmpty || isArmed && time <= now)
        }
    }

    /// The wall-clock time in microseconds since 1970, initially in the year 2026; setting it notifies alarms.
    package var wallClock: Int64 {
        get { passingClock }
        set {
            passingClock = newValue
            for observer in clockObservers.values { observer() }
        }
    }
    private var passingClock: Int64 = 1_780_000_000_000_000
    /// Called when the wall clock was set.
    var clockObservers: [ObjectIdentifier: () -> Void] = [:]
    /// The time since boot in microseconds.
    package private(set) var bootClock: UInt64
    /// The processor time, which passes only by ``work``.
    package func threadClock(at _: UInt64) -> UInt64 {
        worked += work
        return worked
    }
    /// The processor time in microseconds between two readings of the clock: the cost of each measured step.
    package var work: UInt64 = 0
    private var worked: UInt64 = 0
    /// Whether sent bytes arrive at once, so that the turns of the loop can be counted.
    package var arrivesWhole = false
    /// The lateness of timers, in units of 1/256 of the real loop's accuracy.
    package var lateness: UInt64 = 0
    package let endTurn = TurnEnds()
    /// How long the disk takes at most.
    package var diskTime: Duration = .zero
    /// The number of works on other threads: every second one is done at its end, as far as the bus can tell.
    private var workCount = 0
    /// The error of an alarm that wakes the machine; `nil` if the machine can be woken.
    package var wakeFailure: Int32? = EPERM
    /// The times for which the machine is to wake, by alarm.
    var wakeTimes: [ObjectIdentifier: Int64] = [:]
    /// The time for which the machine wakes next.
    package var nextWake: Int64? { wakeTimes.values.min() }
    /// The streams that the bus has not closed, by descriptor.
    var streams: [Int32: SimulatedStream] = [:]
    fileprivate var places: [Place?] = []
    package fileprivate(set) var sourceCount = 0

    /// The event sources, for the message of a check.
    var sourceList: String {
        places.compactMap(\.self).map { place in
            place.descriptor.map { "descriptor \($0)" } ?? place.deadline.map { "timer for \($0)" } ?? "timer"
        }.joined(separator: ", ")
    }

    package init(bootClock: UInt64 = 1_000_000) {
        self.bootClock = bootClock
    }

    package func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, priority: EventSource.Priority,
        handler: @escaping (EventLoop.Interest) -> Void
    ) -> Source {
        let source = Source(self, handler: handler)
        add(source, descriptor, priority)
        source.rearm(interest)
        return source
    }

    package func timer(
        priority: EventSource.Priority, handler: @escaping () -> Void
    ) throws(SystemError) -> Source {
        makeTimer(priority: priority, handler: handler)
    }

    /// Creates a timer of the simulation itself, which cannot fail.
    func makeTimer(priority: EventSource.Priority, handler: @escaping () -> Void) -> Source {
        let source = Source(self) { _ in handler() }
        add(source, nil, priority)
        return source
    }

    package func alarm(
        wakes: Bool, handler: @escaping (WallClockEvent) -> Void
    ) throws(SystemError) -> any WallClockAlarm {
        if wakes, let wakeFailure { throw SystemError("timerfd_create", code: wakeFailure) }
        return SimulatedAlarm(loop: self, wakes: wakes, handler: handler)
    }

    package func detach(
        _ work: @escaping @Sendable () -> Void, then completion: @escaping () -> Void
    ) -> any DetachedWork {
        workCount += 1
        return SimulatedWork(on: self, after: diskTime, isEarly: workCount.isMultiple(of: 2), work, then: completion)
    }

    private func add(_ source: Source, _ descriptor: Int32?, _ priority: EventSource.Priority) {
        // Removed sources leave gaps, which are compacted occasionally while keeping the order.
        if places.count > 2 * sourceCount + 32 {
            places.removeAll { $0 == nil }
            for (place, kept) in places.enumerated() { kept?.source.place = place }
        }
        source.place = places.count
        places.append(Place(source: source, descriptor: descriptor, priority: priority))
        sourceCount += 1
    }

    func report(_ descriptor: Int32, _ interest: EventLoop.Interest) {
        for place in places.indices where places[place]?.descriptor == descriptor {
            places[place]?.pending.formUnion(interest)
        }
    }

    /// Handles a random event among the most urgent due ones, and returns false if there is none.
    package func turn(_ random: inout SplitMix64) -> Bool {
        var due: [Int] = []
        var first = Int.max
        for index in places.indices {
            guard let place = places[index], place.isDue(at: bootClock), place.priority.rawValue <= first else {
                continue
            }
            if place.priority.rawValue < first { due = [] }
            first = place.priority.rawValue
            due.append(index)
        }
        guard let place = due.randomElement(using: &random), let chosen = places[place] else { return false }
        places[place]?.pending = []
        if chosen.time <= bootClock { places[place]?.isArmed = false }
        // The handler may release its source.
        withExtendedLifetime(chosen.source) { $0.handler(chosen.pending) }
        endTurn()
        return true
    }

    package var nextDeadline: UInt64? {
        places.lazy.compactMap { $0?.deadline }.min()
    }

    /// Advances both clocks without handling events, as during suspend.
    package func advance(_ duration: Duration) {
        for stream in streams.values { stream.arrive(whole: true) }
        let microseconds = Int64(duration / .microseconds(1))
        passingClock = passingClock.addingReportingOverflow(microseconds).overflow ? .max : passingClock + microseconds
        bootClock += UInt64(max(0, microseconds))
    }
}
