// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleHost
package import ReveilleSystem

/// Watches all power supplies of the system.
///
/// The kernel reports changes as uevents, but many drivers send none when only the level drifts, and some return old
/// values for a second after an event. So each event leads to several reads, and between events the watcher polls. A
/// machine without a battery is not polled.
package final class BatteryWatcher: Watcher {
    package struct Settings: Sendable {
        /// The time between reads without an event; many drivers send none when only the level drifts.
        package var pollInterval: Duration = .seconds(30)
        /// The time between the reads that follow an event, since firmware takes seconds to settle.
        package var settleInterval: Duration = .seconds(1)
        /// The smallest change of the level that is reported, from 0 to 1.
        package var levelStep = 0.01
        /// The shortest time between changes of the level only; 0 for no limit.
        package var levelInterval: Duration = .seconds(60)
        package var choices = SupplyChoices()

        package init() {}
    }

    /// How long reads follow an event, or a start without a status: as long as firmware takes from one state to the
    /// next.
    private static let followUpTime: Duration = .seconds(5)

    /// How old the level in an answer may be: ACPI's driver keeps a level for a second, and firmware takes another.
    private static let answerAge: Duration = .seconds(2)

    package let aspect = BuiltInAspect.battery
    private let loop: EventLoop
    private let settings: Settings
    private let feed: DeviceFeed
    private let context: WatcherContext
    private var interest: DeviceFeed.Interest?
    private var poll: SharedTimer.Poll?
    private var window: EventSource?
    private var filter: LevelFilter
    private var trend = EnergyTrend()
    private var followUpEnd = Instant(microseconds: 0)
    /// The end of the reads after a start; they go on while a status is unknown.
    private var startEnd = Instant(microseconds: 0)
    private var isStatusUnknown = false
    private var readAt: Instant?
    private let problem: SourceProblem
    private let supplies: PowerSupplies.Reader

    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.loop = loop
        self.settings = settings
        self.feed = feed
        self.context = context
        problem = SourceProblem(context)
        filter = LevelFilter(step: settings.levelStep, interval: settings.levelInterval)
        supplies = DeviceReader(
            loop: loop, slow: feed.slow, of: PowerSupplies.subsystems,
            nothing: PowerSupplies(attributes: PowerSupply.attributeNames, choices: settings.choices)
        ) { supplies throws(SystemError) in try Self.read(.decisive, &supplies) }
        // A driver that fails while firmware settles may have a value afterwards.
        poll = timer.poll(handler: weakly(self) { $0.readAnew(isPoll: $0.loop.now > $0.followUpEnd) })
        window = try loop.timer(priority: .watcher, handler: weakly(self) { $0.endWindow() })
        supplies.taken = weakly(self) { $0.take($1, for: $2) }
    }

    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            pace == .off ? stop() : start()
        }
    }

    private func start() {
        do throws(SystemError) {
            interest = try feed.listen(to: PowerSupplies.subsystems, changed: weakly(self) { $0.handle($1) })
        } catch {
            context.warn("\(error); the battery is only polled")
        }
        filter = LevelFilter(step: settings.levelStep, interval: settings.levelInterval)
        trend = EnergyTrend()
        startEnd = loop.now + Self.followUpTime
        readAnew()
    }

    private func stop() {
        interest = nil
        supplies.forget()
        readAt = nil
        poll?.disarm()
        window?.disarm()
    }

    private func handle(_ changes: DeviceFeed.Changes) {
        if changes.areIncomplete { context.overflowed() }
        followUpEnd = loop.now + Self.followUpTime
        supplies.change { $0.note(changes) }
        supplies.read()
    }

    /// Finds the supplies again, including any that came without an event, and reads them.
    private func readAnew(isPoll: Bool = false) {
        supplies.forget()
        supplies.read(isPoll: isPoll)
    }

    private func take(_ outcome: PowerSupplies.Reader.Outcome, for purpose: ReadingPurpose) {
        let isAnswer = purpose.contains(.answer)
        if pace != .off || isAnswer, let reading = reading(outcome) {
            report(isAnswer ? filter.pass(reading, at: loop.now) : filter.offer(reading, at: loop.now))
        }
        if pace == .off { return supplies.forget() }
        if purpose.contains(.watching) { pollAgain() }
    }

    private func pollAgain() {
        let end = isStatusUnknown ? max(followUpEnd, startEnd) : followUpEnd
        if loop.now + settings.settleInterval <= end {
            poll?.fire(within: min(settings.settleInterval, settings.pollInterval))
        } else if interest == nil || supplies.found.mayDrift {
            poll?.fire(within: settings.pollInterval)
        } else {
            poll?.disarm()
        }
    }

    private func endWindow() {
        report(filter.expire(at: loop.now))
    }

    private func report(_ reading: Battery?) {
        if let reading { context.report(.battery(reading)) }
        window?.fire(at: pace == .off ? nil : filter.deadline, on: loop)
    }

    package func refresh(then completion: @escaping () -> Void) {
        supplies.forget()
        supplies.read(then: completion)
    }

    package var mayLag: Bool {
        let mayDrift = supplies.found.mayDrift
        guard mayDrift, settings.levelInterval <= Self.answerAge else { return mayDrift }
        // Between polls, a driver may report no changes.
        return readAt.map { loop.now - $0 > Self.answerAge } ?? true
    }

    package func update(then completion: @escaping () -> Void) {
        feed.catchUp()
        supplies.read(then: completion)
    }

    /// The reading of supplies; `nil` after an error, so that the previous reading is kept.
    private func reading(_ outcome: PowerSupplies.Reader.Outcome) -> Battery? {
        problem.attempt { () throws(SystemError) in
            let (supplies, isMacBook) = try outcome.get()
            readAt = loop.now
            let reading = BatteryRule.reading(
                of: supplies, isMacBook: isMacBook, trend: trend.take(BatteryRule.energy(of: supplies), at: loop.now))
            isStatusUnknown = reading.packs.contains { $0.chargeStatus == .unknown }
            return reading
        }
    }

    private static func read(
        _ extent: PowerSupplies.Extent, _ supplies: inout PowerSupplies
    ) throws(SystemError) -> PowerSupplies.Read {
        try supplies.read(extent) { BatteryRule.hasLevels($0.supplies, isMacBook: $0.isMacBook) }
    }

    package var source: SourceDescription {
        supplies.source { read in SourceDescription(packsOf: read.supplies, and: \.isSupply) }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "power supplies cannot be listed") { () throws(SystemError) in
            var supplies = supplies.found
            let (read, isMacBook) = try Self.read(.everything, &supplies)
            var examination = BatteryExamination.examine(read, isMacBook: isMacBook)
            for name in supplies.missingChoices { examination.add(name, UdevDevice.missingChoice) }
            return examination
        }
    }
}
