// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches all power supplies of the system.
///
/// The kernel tells of changes by uevents, but many drivers tell of no drift of the level, and some give old
/// values for a second after an event. So every event makes it read everything, then again for a while;
/// and between events it polls.
package final class BatteryWatcher: Watcher {
    /// How closely to watch.
    package struct Settings: Sendable {
        /// Between two reads without an event.
        package var pollInterval: Duration
        /// Between the reads that follow an event.
        package var settleInterval: Duration
        /// The smallest change of the level that is told.
        package var levelStep: Double
        /// The least time between two changes of the level alone; 0 for no limit.
        package var levelInterval: Duration

        /// Makes settings of their parts.
        package init(pollInterval: Duration, settleInterval: Duration, levelStep: Double, levelInterval: Duration) {
            self.pollInterval = pollInterval
            self.settleInterval = settleInterval
            self.levelStep = levelStep
            self.levelInterval = levelInterval
        }
    }

    /// How long reads follow an event: what firmware takes to move from one state to the next.
    private static let settleTime: Duration = .seconds(5)

    package let aspect = Aspect.battery
    private let settings: Settings
    private let feed: DeviceFeed
    private let context: WatcherContext
    private var interest: DeviceFeed.Interest?
    private var poll: EventSource?
    private var window: EventSource?
    private var filter: LevelFilter
    private var settledAt = Instant(microseconds: 0)
    private var problem: String?
    private var supplies: PowerSupplies?

    /// Makes a watcher that watches nothing yet.
    package init(
        loop: EventLoop, feed: DeviceFeed, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.settings = settings
        self.feed = feed
        self.context = context
        filter = LevelFilter(step: settings.levelStep, interval: settings.levelInterval)
        poll = try loop.timer(priority: .watcher) { [weak self] in self?.look() }
        window = try loop.timer(priority: .watcher) { [weak self] in self?.endWindow() }
    }

    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            pace == .off ? stop() : start()
        }
    }

    private func start() {
        do throws(SystemError) {
            interest = try feed.listen(to: ["power_supply", "typec"]) { [weak self] in
                self?.handle($0)
            } lost: { [weak self] in
                self?.context.overflowed()
                self?.handle(DeviceFeed.Changes(isStructural: true))
            }
        } catch {
            context.warn("\(error); the battery is polled only")
        }
        filter = LevelFilter(step: settings.levelStep, interval: settings.levelInterval)
        look()
    }

    private func stop() {
        interest = nil
        supplies = nil
        poll?.disarm()
        window?.disarm()
    }

    private func handle(_ changes: DeviceFeed.Changes) {
        settledAt = Self.now + Self.settleTime
        if changes.isStructural || supplies?.contains(changes.changed) != true { supplies = nil }
        read()
    }

    /// Looks for supplies that no event told of, and reads all.
    private func look() {
        supplies = nil
        read()
    }

    private func read() {
        if let reading = reading() { tell(filter.offer(reading, at: Self.now)) }
        guard pace != .off else { return }
        let isSettling = Self.now + settings.settleInterval <= settledAt
        poll?.fire(after: isSettling ? min(settings.settleInterval, settings.pollInterval) : settings.pollInterval)
    }

    private func endWindow() {
        tell(filter.expire(at: Self.now))
    }

    private func tell(_ reading: Battery?) {
        if let reading { context.report(.battery(reading)) }
        guard pace != .off, let deadline = filter.deadline else {
            window?.disarm()
            return
        }
        window?.fire(after: deadline - Self.now)
    }

    package func refresh(then completion: @escaping () -> Void) {
        supplies = nil
        if let reading = reading() { tell(filter.pass(reading, at: Self.now)) }
        completion()
    }

    /// What the battery reads now; `nil` where it cannot be told, and the last reading stands.
    private func reading() -> Battery? {
        do throws(SystemError) {
            let (found, isMacBook) = try values()
            problem = nil
            return BatteryRule.reading(of: found, isMacBook: isMacBook)
        } catch {
            if problem != "\(error)" { context.warn("\(error); the last reading stands") }
            problem = "\(error)"
            return nil
        }
    }

    private func values() throws(SystemError) -> ([PowerSupply], isMacBook: Bool) {
        if let supplies, let values = supplies.read() { return (values, supplies.isMacBook) }
        let found = try PowerSupplies()
        // At rest nobody tells of a supply that comes, so the next question looks again.
        supplies = pace == .off ? nil : found
        // One that goes between being found and being read is not there.
        return (found.read() ?? [], found.isMacBook)
    }

    package var source: SourceDescription {
        do throws(SystemError) {
            let (found, _) = try values()
            guard found.contains(where: \.isPack) else { return .unavailable("no battery in /sys/class/power_supply") }
            return .available((found.filter(\.isPack) + found.filter(\.isSupply)).map(\.name).joined(separator: ", "))
        } catch {
            return .unavailable("\(error)")
        }
    }

    package func examine() -> Examination {
        do throws(SystemError) {
            let (found, isMacBook) = try values()
            return BatteryExamination.examine(found, isMacBook: isMacBook)
        } catch {
            return Examination(advice: ["power supplies cannot be listed: \(error)"])
        }
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot()) }
}
