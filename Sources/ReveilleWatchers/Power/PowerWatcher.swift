// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the energy and the power of all battery packs.
///
/// Drivers do not report changes of the power, so it is sampled. A machine without a battery is not sampled.
package final class PowerWatcher: Watcher {
    /// The time between samples while a subscriber is in the foreground: gauges average over seconds, and a person reads
    /// no faster.
    private static let liveInterval: Duration = .seconds(10)
    /// The shortest time between samples while all subscribers are held; a wake takes a fresh sample anyway.
    private static let idleInterval: Duration = .seconds(60)
    /// The shortest time between two samples that follow events; some drivers send hundreds of events.
    private static let eventInterval: Duration = .seconds(1)

    package let aspect = BuiltInAspect.power
    private let loop: EventLoop
    private let feed: DeviceFeed
    private let intervals: SampleIntervals
    private let context: WatcherContext
    private var interest: DeviceFeed.Interest?
    private var poll: SharedTimer.Poll?
    private var filter = PowerFilter()
    private var mean = MeanPower()
    private var sampled: Instant?
    private let problem: SourceProblem
    private var supplies = PowerSupplies(attributes: PowerSupply.detailNames)

    /// Creates a watcher that is off; while all subscribers are held, it samples at `idleInterval` at most.
    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, idleInterval: Duration, context: WatcherContext
    ) throws(SystemError) {
        self.loop = loop
        self.feed = feed
        self.context = context
        problem = SourceProblem(context)
        intervals = SampleIntervals(live: Self.liveInterval, idle: max(Self.idleInterval, idleInterval))
        poll = timer.poll { [weak self] in self?.sample() }
    }

    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            switch pace {
            case .off: stop()
            case .idle, .live: oldValue == .off ? start() : sample()
            }
        }
    }

    private func start() {
        do throws(SystemError) {
            interest = try feed.listen(to: PowerSupplies.subsystems) { [weak self] in self?.handle($0) }
        } catch {
            context.warn("\(error); the power is only polled")
        }
        filter = PowerFilter()
        mean = MeanPower()
        supplies.forget()
        sample()
    }

    private func stop() {
        interest = nil
        supplies.forget()
        sampled = nil
        poll?.disarm()
    }

    private func handle(_ changes: DeviceFeed.Changes) {
        if changes.areIncomplete { context.overflowed() }
        supplies.note(changes)
        if let sampled, loop.now < sampled + Self.eventInterval {
            poll?.fire(within: Self.eventInterval)
        } else {
            sample()
        }
    }

    private func sample() {
        // Without events, devices may have come or gone.
        if interest == nil { supplies.forget() }
        if let reading = reading(), let reading = filter.offer(reading) { context.report(.power(reading)) }
        guard let interval = intervals[pace] else { return }
        if interest == nil || supplies.mayDrift {
            poll?.fire(within: interval)
        } else {
            poll?.disarm()
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        supplies.forget()
        if let reading = reading() { context.report(.power(filter.pass(reading))) }
        completion()
    }

    package var mayLag: Bool { supplies.mayDrift }

    package func update(then completion: @escaping () -> Void) {
        if let reading = reading(), let reading = filter.offer(reading) { context.report(.power(reading)) }
        completion()
    }

    /// The current reading; `nil` after an error, so that the previous reading is kept.
    private func reading() -> Power? {
        problem.attempt { () throws(SystemError) in
            let reading = PowerRule.reading(of: try readSupplies())
            sampled = loop.now
            return PowerRule.reading(reading, atMean: mean.take(reading.power, at: loop.now))
        }
    }

    private func readSupplies() throws(SystemError) -> [PowerSupply] {
        try supplies.read(.batteries, isKept: pace != .off).supplies
    }

    package var source: SourceDescription {
        SourceDescription { () throws(SystemError) in SourceDescription(packsOf: try readSupplies()) }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "power supplies cannot be listed") { () throws(SystemError) in
            PowerExamination.examine(try readSupplies())
        }
    }
}
