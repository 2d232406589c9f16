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

    /// Makes a watcher that watches nothing yet.
    package init(
        loop: EventLoop, feed: DeviceFeed, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.settings = settings
        self.feed = feed
        self.context = context
        filter = LevelFilter(step: settings.levelStep, interval: settings.levelInterval)
        poll = try loop.timer(priority: .watcher) { [weak self] in self?.read() }
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
                self?.suppliesChanged()
            } lost: { [weak self] in
                self?.context.overflowed()
                self?.suppliesChanged()
            }
        } catch {
            context.warn("\(error); the battery is polled only")
        }
        filter = LevelFilter(step: settings.levelStep, interval: settings.levelInterval)
        read()
    }

    private func stop() {
        interest = nil
        poll?.disarm()
        window?.disarm()
    }

    private func suppliesChanged() {
        settledAt = Self.now + Self.settleTime
        read()
    }

    private func read() {
        if let supplies = supplies() {
            tell(filter.offer(BatteryRule.reading(of: supplies, isMacBook: DMI.isMacBook), at: Self.now))
        }
        guard pace != .off else { return }
        let isSettling = Self.now + settings.settleInterval <= settledAt
        poll?.fire(after: isSettling ? min(settings.settleInterval, settings.pollInterval) : settings.pollInterval)
    }

    private func endWindow() {
        tell(filter.expire(at: Self.now))
    }

    private func tell(_ reading: BatteryReading?) {
        if let reading { context.report(.battery(reading)) }
        guard pace != .off, let deadline = filter.deadline else {
            window?.disarm()
            return
        }
        window?.fire(after: deadline - Self.now)
    }

    package func refresh(then completion: @escaping () -> Void) {
        if let supplies = supplies() {
            tell(filter.tell(BatteryRule.reading(of: supplies, isMacBook: DMI.isMacBook), at: Self.now))
        }
        completion()
    }

    /// What is there now; `nil` where it cannot be told, and the last reading stands.
    private func supplies() -> [PowerSupply]? {
        do throws(SystemError) {
            let supplies = try PowerSupply.all()
            problem = nil
            return supplies
        } catch {
            if problem != "\(error)" { context.warn("\(error); the last reading stands") }
            problem = "\(error)"
            return nil
        }
    }

    package var source: SourceDescription {
        let supplies = supplies() ?? []
        guard supplies.contains(where: \.isPack) else { return .unavailable("no battery in /sys/class/power_supply") }
        return .available((supplies.filter(\.isPack) + supplies.filter(\.isSupply)).map(\.name).joined(separator: ", "))
    }

    package func examine() -> Examination {
        do throws(SystemError) {
            return BatteryExamination.examine(try PowerSupply.all(), isMacBook: DMI.isMacBook)
        } catch {
            return Examination(advice: ["power supplies cannot be listed: \(error)"])
        }
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot()) }
}
