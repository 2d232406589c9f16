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
    /// Whether the next reading is reported even if it hardly differs.
    private var isExact = false
    private let problem: SourceProblem
    private let supplies: PowerSupplies.Reader
    /// Whether the next sample follows an event.
    private var followsEvent = false

    /// Creates a watcher that is off; while all subscribers are held, it samples at `idleInterval` at most.
    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, choices: SupplyChoices, idleInterval: Duration,
        context: WatcherContext
    ) throws(SystemError) {
        self.loop = loop
        self.feed = feed
        self.context = context
        problem = SourceProblem(context)
        intervals = SampleIntervals(live: Self.liveInterval, idle: max(Self.idleInterval, idleInterval))
        supplies = DeviceReader(
            loop: loop, slow: feed.slow, of: PowerSupplies.subsystems,
            nothing: PowerSupplies(attributes: PowerSupply.detailNames, choices: choices)
        ) { supplies throws(SystemError) in try supplies.read(.batteries) }
        poll = timer.poll(handler: weakly(self) { $0.sample(isPoll: !$0.followsEvent) })
        supplies.taken = weakly(self) { $0.take($1, for: $2) }
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
            interest = try feed.listen(to: PowerSupplies.subsystems, changed: weakly(self) { $0.handle($1) })
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
        supplies.change { $0.note(changes) }
        if let sampled, loop.now < sampled + Self.eventInterval {
            followsEvent = true
            poll?.fire(within: Self.eventInterval)
        } else {
            sample()
        }
    }

    private func sample(isPoll: Bool = false) {
        followsEvent = false
        // Without events, devices may have come or gone.
        if interest == nil { supplies.forget() }
        supplies.read(isPoll: isPoll)
    }

    private func take(_ outcome: PowerSupplies.Reader.Outcome, for purpose: ReadingPurpose) {
        if pace != .off || purpose.contains(.answer), let reading = reading(outcome) {
            let isExact = isExact
            self.isExact = false
            if let reading = isExact ? filter.pass(reading) : filter.offer(reading) { context.report(.power(reading)) }
        }
        guard let interval = intervals[pace] else { return supplies.forget() }
        guard purpose.contains(.watching) else { return }
        if interest == nil || supplies.found.mayDrift {
            poll?.fire(within: interval)
        } else {
            poll?.disarm()
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        supplies.forget()
        isExact = true
        supplies.read(then: completion)
    }

    package var mayLag: Bool { supplies.found.mayDrift }

    package func update(then completion: @escaping () -> Void) {
        // A subscriber that wakes gets the values of now.
        if pace == .idle { isExact = true }
        feed.catchUp()
        supplies.read(then: completion)
    }

    /// The reading of supplies; `nil` after an error, so that the previous reading is kept.
    private func reading(_ outcome: PowerSupplies.Reader.Outcome) -> Power? {
        problem.attempt { () throws(SystemError) in
            let reading = PowerRule.reading(of: try outcome.get().supplies)
            sampled = loop.now
            return PowerRule.reading(reading, atMean: mean.take(reading.power, at: loop.now))
        }
    }

    package var source: SourceDescription {
        supplies.source { SourceDescription(packsOf: $0.supplies) }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "power supplies cannot be listed") { () throws(SystemError) in
            var supplies = supplies.found
            return PowerExamination.examine(try supplies.read(.batteries).supplies)
        }
    }
}
