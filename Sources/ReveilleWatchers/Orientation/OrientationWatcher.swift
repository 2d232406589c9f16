// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the pose of the device with the accelerometer in its display half.
package final class OrientationWatcher: Watcher {
    package struct Settings: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// How long a new pose must last before it is reported; 0 for no delay.
        package var settle: Duration = .milliseconds(400)
        /// The direction of the sensor's axes.
        package var frame = OrientationFrame.auto
        /// The mount matrix; `nil` for the device's own.
        package var matrix: MountMatrix?
        /// The name of the accelerometer to use; `nil` for the first in the display.
        package var sensor: String?

        package init() {}
    }

    /// The time between the samples of a request while the sensor's scale is in doubt: the sampling period of a sensor
    /// at ``SamplingFrequency/enough``.
    private static let repetitionInterval: Duration = .milliseconds(100)
    /// The time of a request during which samples are repeated.
    private static let repetitionTime: Duration = .milliseconds(400)

    /// How long the pose after a large turn must last, at most: until the second sample that confirms the pose.
    private static let turnSettle: Duration = .milliseconds(200)
    /// How long after a large turn the sensor is sampled more often, since a device in a hand is turned again.
    private static let attention: Duration = .seconds(10)

    package let aspect = BuiltInAspect.orientation
    private let loop: EventLoop
    private let settings: Settings
    private let context: WatcherContext
    private let watch: SensorWatch<Accelerometer>
    private let confirmation: EventSource
    private var repetition: EventSource?
    /// The sensor of the last sample, and the length of gravity in its samples.
    private var measured: (sensor: Accelerometer, unit: GravityUnit)?
    private var filter: SettleFilter<Orientation>
    /// The direction of gravity in the reported pose.
    private var settled: Vector?
    private var lastTurn: Instant?
    /// The reading of the last sample, whether reported or not.
    private var last = Orientation.unknown
    /// The request that is under way, and its start.
    private var request: (completion: () -> Void, start: Instant, isSearching: Bool)?

    /// Creates a watcher that is off; `idleInterval` is the time between samples while all subscribers are held.
    package init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, sensor: SharedSensor, settings: Settings,
        idleInterval: Duration, context: WatcherContext
    ) throws(SystemError) {
        self.loop = loop
        self.settings = settings
        self.context = context
        filter = SettleFilter(settle: settings.settle)
        watch = SensorWatch(
            loop: loop, timer: timer, feed: feed, context: context,
            intervals: SampleIntervals(live: settings.sampleInterval, idle: idleInterval), shared: sensor
        ) { () throws(SystemError) in try Accelerometer.candidates(settings) }
        // A pose that has lasted long enough is confirmed by another sample.
        confirmation = try loop.timer(priority: .watcher) { [watch] in watch.sample() }
        repetition = try loop.timer(priority: .watcher, handler: weakly(self) { $0.sampleForRequest() })
        watch.sampled = { [weak self] sensor, sample throws(SystemError) in try self?.take(sample, of: sensor) }
        watch.gone = weakly(self) { $0.lose() }
    }

    package var pace: Pace {
        get { watch.pace }
        set {
            if watch.pace == .off && newValue != .off { begin() }
            watch.pace = newValue
            if newValue == .off { confirmation.disarm() }
        }
    }

    /// Forgets the pose of an earlier watch, so that it neither delays nor retains a pose.
    private func begin() {
        filter = SettleFilter(settle: settings.settle)
        last.pose = .unknown
        settled = nil
        lastTurn = nil
    }

    package func refresh(then completion: @escaping () -> Void) {
        request = (completion, loop.now, isSearching: true)
        sampleForRequest()
    }

    package func update(then completion: @escaping () -> Void) {
        request = (completion, loop.now, isSearching: false)
        sampleForRequest()
    }

    private func sampleForRequest() {
        guard let request else { return }
        let timeout = request.start + Pace.sampleTimeout - loop.now
        watch.refresh(isSearching: request.isSearching, within: timeout) { [weak self] in
            guard let self, let request = self.request else { return }
            let isInDoubt = measured?.unit.isInDoubt ?? false
            if isInDoubt, loop.now < request.start + Self.repetitionTime {
                repetition?.fire(after: Self.repetitionInterval)
                return
            }
            // A sample without a pose still shows that the sensor is present.
            if isInDoubt { report(filter.pass(last)) }
            self.request = nil
            request.completion()
        }
    }

    private func take(_ sample: SensorSample, of sensor: Accelerometer) throws(SystemError) {
        let acceleration = try sensor.acceleration(sample)
        let gravity = settings.frame.gravity(acceleration, matrix: sensor.matrix, isHID: sensor.isHID)
        var unit: GravityUnit
        if let measured, measured.sensor == sensor {
            unit = measured.unit
        } else {
            unit = GravityUnit(isStated: try sensor.statesUnit(sample))
        }
        defer { measured = (sensor, unit) }
        guard let gravity = unit.gravity(gravity) else {
            if request != nil, !unit.isInDoubt { report(filter.pass(last)) }
            return
        }
        last = OrientationRule.reading(at: gravity, last: last)
        report(request == nil ? offer(last, gravity) : filter.pass(last))
        if filter.deadline == nil { settled = gravity }
        watch.isAttentive = lastTurn.map { loop.now < $0 + Self.attention } ?? false
    }

    private func offer(_ reading: Orientation, _ gravity: Vector) -> Orientation? {
        guard let settled, OrientationRule.isLargeTurn(from: settled, to: gravity) else {
            return filter.offer(reading, at: loop.now)
        }
        lastTurn = loop.now
        return filter.offer(reading, at: loop.now, within: Self.turnSettle)
    }

    private func lose() {
        measured = nil
        last = .unknown
        report(filter.pass(.unknown))
    }

    private func report(_ reading: Orientation?) {
        if let reading { context.report(.orientation(reading)) }
        confirmation.fire(at: pace == .off ? nil : filter.deadline, on: loop)
    }

    package var source: SourceDescription { watch.source(orElse: "no accelerometer") }

    package func examine() -> Examination {
        watch.examine { candidates, examination in
            for candidate in candidates { examination.add(candidate.title, candidate.reason) }
            if candidates.count > 1 {
                examination.advice.append(
                    "to choose, set orientation.sensor to a name, or ACCEL_LOCATION to display or base by udev")
            }
            guard let candidate = candidates.first(where: { $0.sensor != nil }), let sensor = candidate.sensor
            else { return }
            examination.add("used", candidate.title)
            OrientationExamination.examine(sensor, settings, &examination)
        }
    }
}
