// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem

/// A loop whose time stands still until it is moved, and whose order a random sequence decides.
///
/// Times are computed as the real loop computes them, so that a duration that it cannot take is found here.
package final class SimulatedLoop: Loop {
    /// A descriptor or a timer that somebody waits for.
    package final class Source: LoopSource {
        fileprivate let handler: (EventLoop.Interest) -> Void
        private let loop: SimulatedLoop
        /// Where the loop keeps what is due of it.
        fileprivate var place = 0

        fileprivate init(_ loop: SimulatedLoop, handler: @escaping (EventLoop.Interest) -> Void) {
            self.loop = loop
            self.handler = handler
        }

        deinit {
            loop.forget(place)
        }

        package func cancel() {
            loop.places[place]?.isCanceled = true
            disarm()
        }

        package func fire(after duration: Duration) {
            loop.fire(place, after: duration)
        }

        package func setPriority(_ priority: EventSource.Priority) {}

        package func disarm() {
            loop.places[place]?.isArmed = false
        }

        package func rearm(_ interest: EventLoop.Interest) {
            guard let descriptor = loop.places[place]?.descriptor, !interest.isEmpty else { return }
            loop.places[place]?.pending.formUnion(loop.streams[descriptor]?.readiness ?? [])
        }
    }

    /// What is due of a source; beside the sources, so that looking through them is quick.
    fileprivate struct Place {
        unowned let source: Source
        let descriptor: Int32?
        /// What it is told next; an edge that comes twice is told once.
        var pending: EventLoop.Interest = []
        /// When a timer fires, on the clock that counts from the start of the machine.
        var time = UInt64.max
        var isArmed = false
        var isCanceled = false

        var deadline: UInt64? { isArmed && !isCanceled ? time : nil }

        func isDue(at now: UInt64) -> Bool {
            !isCanceled && (!pending.isEmpty || isArmed && time <= now)
        }
    }

    /// Microseconds since 1970; some moment of the year 2026, unless it is set.
    package var wallClock: Int64 = 1_780_000_000_000_000
    /// Microseconds since the start of the machine.
    package private(set) var bootClock: UInt64
    /// What is done takes no time.
    package let threadClock: UInt64 = 0
    /// How late timers fire, in parts of 256 of what the real loop allows them.
    package var lateness: UInt64 = 0
    /// What each stream's descriptor stands for.
    var streams: [Int32: SimulatedStream] = [:]
    /// Streams that the bus has not let go of.
    package var streamCount: Int { streams.count }

    /// The streams of one user.
    func streamCount(of user: UInt32) -> Int {
        streams.values.count { $0.credentials.uid == user }
    }

    fileprivate var places: [Place?] = []
    /// How many sources there are.
    package private(set) var sourceCount = 0

    /// Makes a loop without sources.
    ///
    /// - Parameter bootClock: Where the clock that times timers stands.
    package init(bootClock: UInt64 = 1_000_000) {
        self.bootClock = bootClock
    }

    package func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, priority: EventSource.Priority,
        handler: @escaping (EventLoop.Interest) -> Void
    ) -> Source {
        let source = Source(self, handler: handler)
        add(source, descriptor)
        source.rearm(interest)
        return source
    }

    package func timer(priority: EventSource.Priority, handler: @escaping () -> Void) -> Source {
        let source = Source(self) { _ in handler() }
        add(source, nil)
        return source
    }

    private func add(_ source: Source, _ descriptor: Int32?) {
        // What is gone leaves room behind, and the others keep their order.
        if places.count > 2 * sourceCount + 32 {
            places.removeAll { $0 == nil }
            for (place, kept) in places.enumerated() { kept?.source.place = place }
        }
        source.place = places.count
        places.append(Place(source: source, descriptor: descriptor))
        sourceCount += 1
    }

    fileprivate func forget(_ place: Int) {
        places[place] = nil
        sourceCount -= 1
    }

    fileprivate func fire(_ place: Int, after duration: Duration) {
        let microseconds = EventLoop.microseconds(duration)
        let late = EventLoop.accuracy(microseconds).multipliedFullWidth(by: lateness)
        places[place]?.time = EventLoop.moment(
            in: late.high << 56 | late.low >> 8, from: EventLoop.moment(in: microseconds, from: bootClock))
        places[place]?.isArmed = true
    }

    /// Tells that something became so on a descriptor.
    func tell(_ descriptor: Int32, _ interest: EventLoop.Interest) {
        for place in places.indices where places[place]?.descriptor == descriptor {
            places[place]?.pending.formUnion(interest)
        }
    }

    /// Handles one event, any of those that are due; false when there is none.
    package func turn(_ random: inout SplitMix64) -> Bool {
        let due = places.indices.filter { places[$0]?.isDue(at: bootClock) == true }
        guard let place = due.randomElement(using: &random), let chosen = places[place] else { return false }
        places[place]?.pending = []
        if chosen.time <= bootClock { places[place]?.isArmed = false }
        // It may let go of itself.
        withExtendedLifetime(chosen.source) { $0.handler(chosen.pending) }
        return true
    }

    /// When the next timer fires.
    package var nextDeadline: UInt64? {
        places.lazy.compactMap { $0?.deadline }.min()
    }

    /// Lets time pass on both clocks, as while the machine is suspended: what became due meanwhile is late.
    package func advance(_ duration: Duration) {
        let microseconds = Int64(duration / .microseconds(1))
        wallClock = wallClock.addingReportingOverflow(microseconds).overflow ? .max : wallClock + microseconds
        bootClock += UInt64(max(0, microseconds))
    }
}
