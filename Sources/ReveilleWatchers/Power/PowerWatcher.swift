// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches the energy and the power of all battery packs.
///
/// Drivers do not report changes of the power, so it is sampled. A machine without a battery is not sampled.
package final class PowerWatcher: Watcher {
    /// The time between samples while a subscriber is in the foreground: gauges average over seconds, and a person reads
    /// no faster.
    private static let liveInterval: Duration = .seconds(10)
    /// The shortest time between samples while all subscribers are held; the sample before a wake is the one that counts.
    private static let idleInterval: Duration = .seconds(60)
    /// The shortest time between two samples that follow events, of which some drivers send hundreds.
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
    private var problem: String?
    private var supplies: PowerSupplies?

    /// Creates a watcher that is off, which samples at `idleInterval` at most while all subscribers are held.
    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, idleInterval: Duration, context: WatcherContext
    ) throws(SystemError) {
        self.loop = loop
        self.feed = feed
        self.context = context
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
            interest = try feed.listen(to: ["power_supply", "typec"]) { [weak self] in self?.handle($0) }
        } catch {
            context.warn("\(error); the power is only polled")
        }
        filter = PowerFilter()
        mean = MeanPower()
        supplies = nil
        sample()
    }

    private func stop() {
        interest = nil
        supplies = nil
        sampled = nil
        poll?.disarm()
    }

    private func handle(_ changes: DeviceFeed.Changes) {
        if changes.areIncomplete { context.overflowed() }
        if changes.isStructural || supplies?.contains(changes.changed) != true { supplies = nil }
        supplies?.listAttributes(of: changes.changed)
        if let sampled, loop.now < sampled + Self.eventInterval {
            poll?.fire(within: Self.eventInterval)
        } else {
            sample()
        }
    }

    private func sample() {
        // Without events, devices may have come or gone.
        if interest == nil { supplies = nil }
        if let reading = reading(), let reading = filter.offer(reading) { context.report(.power(reading)) }
        guard let interval = intervals[pace] else { return }
        if interest == nil || supplies?.mayDrift ?? true {
            poll?.fire(within: interval)
        } else {
            poll?.disarm()
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        supplies = nil
        if let reading = reading() { context.report(.power(filter.pass(reading))) }
        completion()
    }

    package var mayLag: Bool { supplies?.mayDrift ?? true }

    package func update(then completion: @escaping () -> Void) {
        if let reading = reading(), let reading = filter.offer(reading) { context.report(.power(reading)) }
        completion()
    }

    /// The current reading; `nil` after an error, which keeps the previous reading.
    private func reading() -> Power? {
        do throws(SystemError) {
            let reading = PowerRule.reading(of: try readSupplies())
            problem = nil
            sampled = loop.now
            return PowerRule.reading(reading, atMean: mean.take(reading.power, at: loop.now))
        } catch {
            if problem != "\(error)" { context.warn("\(error); the previous reading is kept") }
            problem = "\(error)"
            return nil
        }
    }

    private func readSupplies() throws(SystemError) -> [PowerSupply] {
        if let read = supplies?.read(.batteries) { return read }
        var present = try PowerSupplies(attributes: PowerSupply.detailNames)
        let read = present.read(.batteries)
        // While the watcher is off, no event reports new supplies, so the next call must find them again.
        supplies = pace == .off ? nil : present
        // A supply that disappears before it is read does not exist.
        return read ?? []
    }

    package var source: SourceDescription {
        do throws(SystemError) {
            let packs = try readSupplies().filter(\.isPack)
            guard !packs.isEmpty else { return .unavailable("no battery in /sys/class/power_supply") }
            return .available(packs.map(\.name).joined(separator: ", "))
        } catch {
            return .unavailable("\(error)")
        }
    }

    package func examine() -> Examination {
        do throws(SystemError) {
            return PowerExamination.examine(try readSupplies())
        } catch {
            return Examination(advice: ["power supplies cannot be listed: \(error)"])
        }
    }
}
