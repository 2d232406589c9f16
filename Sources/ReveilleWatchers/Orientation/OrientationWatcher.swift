// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches how the device is held, by the accelerometer in its display half.
package final class OrientationWatcher: Watcher {
    /// How closely to watch.
    package struct Settings: Sendable {
        /// Between two samples while somebody is in the foreground.
        package var sampleInterval: Duration
        /// Between two samples while all are held.
        package var idleSampleInterval: Duration
        /// How long a new pose must stand; 0 for not at all.
        package var settle: Duration
        /// Which way the sensor's axes point.
        package var frame: OrientationFrame
        /// The mount matrix, in place of what the device says.
        package var matrix: MountMatrix?

        /// Makes settings of their parts.
        package init(
            sampleInterval: Duration, idleSampleInterval: Duration, settle: Duration, frame: OrientationFrame,
            matrix: MountMatrix?
        ) {
            self.sampleInterval = sampleInterval
            self.idleSampleInterval = idleSampleInterval
            self.settle = settle
            self.frame = frame
            self.matrix = matrix
        }
    }

    package let aspect = Aspect.orientation
    private let settings: Settings
    private let context: WatcherContext
    private var watch: SensorWatch<Accelerometer>?
    private var settling: EventSource?
    private var filter: SettleFilter<Orientation>
    /// The reading of the last sample, told or not yet.
    private var last = Orientation.unknown
    private var isRefreshing = false

    /// Makes a watcher that watches nothing yet.
    package init(
        loop: EventLoop, feed: DeviceFeed, sampler: Sampler, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.settings = settings
        self.context = context
        filter = SettleFilter(settle: settings.settle)
        watch = try SensorWatch(
            loop: loop, feed: feed, sampler: sampler, context: context,
            intervals: SampleIntervals(live: settings.sampleInterval, idle: settings.idleSampleInterval)
        ) { () throws(SystemError) in
            try Accelerometer.candidates(matrix: settings.matrix).lazy.compactMap(\.sensor).first
        } sampled: { [weak self] sensor, sample throws(SystemError) in
            try self?.take(sample, of: sensor)
        } gone: { [weak self] in
            self?.lose()
        }
        // A pose that has stood for its time is confirmed by another sample.
        settling = try loop.timer(priority: .watcher) { [weak self] in self?.watch?.sample() }
    }

    package var pace: Pace {
        get { watch?.pace ?? .off }
        set {
            if watch?.pace == .off && newValue != .off { begin() }
            watch?.pace = newValue
            if newValue == .off { settling?.disarm() }
        }
    }

    /// What was so before a rest is no reason to hold a pose back, nor to hold on to one.
    private func begin() {
        filter = SettleFilter(settle: settings.settle)
        last.pose = .unknown
    }

    package func refresh(then completion: @escaping () -> Void) {
        guard let watch else { return completion() }
        isRefreshing = true
        watch.refresh { [weak self] in
            self?.isRefreshing = false
            completion()
        }
    }

    private func take(_ sample: SensorSample, of sensor: Accelerometer) throws(SystemError) {
        let acceleration = try sensor.acceleration(sample)
        let gravity = settings.frame.gravity(acceleration, matrix: sensor.matrix, isHID: sensor.isHID)
        guard let reading = OrientationRule.reading(at: gravity, last: last) else {
            // A sample that says nothing still says that the sensor is there.
            if isRefreshing { tell(filter.pass(last)) }
            return
        }
        last = reading
        tell(isRefreshing ? filter.pass(reading) : filter.offer(reading, at: Self.now))
    }

    private func lose() {
        last = .unknown
        tell(filter.pass(.unknown))
    }

    private func tell(_ reading: Orientation?) {
        if let reading { context.report(.orientation(reading)) }
        guard pace != .off, let deadline = filter.deadline else {
            settling?.disarm()
            return
        }
        settling?.fire(after: deadline - Self.now)
    }

    package var source: SourceDescription {
        do throws(SystemError) {
            let candidates = try Accelerometer.candidates(matrix: settings.matrix)
            if let sensor = candidates.lazy.compactMap(\.sensor).first {
                return .available(sensor.title + (watch?.manner.map { ", " + $0 } ?? ""))
            }
            let leftOut = candidates.map { "\($0.title) \($0.reason)" }.joined(separator: "; ")
            return .unavailable(leftOut.isEmpty ? "no accelerometer" : leftOut)
        } catch {
            return .unavailable("\(error)")
        }
    }

    package func examine() -> Examination {
        OrientationExamination.examine(settings)
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot()) }
}
