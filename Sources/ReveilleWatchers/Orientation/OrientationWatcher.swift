// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem

/// Watches the pose of the device with the accelerometer in its display half.
package final class OrientationWatcher: Watcher {
    /// How closely to watch.
    package struct Settings: Sendable {
        /// The time between two samples while a subscriber is in the foreground.
        package var sampleInterval: Duration
        /// The time between two samples while all subscribers are held.
        package var idleSampleInterval: Duration
        /// How long a new pose must last before it is reported; 0 to report it at once.
        package var settle: Duration
        /// The convention of the sensor's axes.
        package var frame: OrientationFrame
        /// The mount matrix that overrides the device's.
        package var matrix: MountMatrix?

        /// Creates settings.
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
    private let loop: EventLoop
    private let settings: Settings
    private let context: WatcherContext
    private var watch: SensorWatch<Accelerometer>?
    private var confirmation: EventSource?
    private var filter: SettleFilter<Orientation>
    /// The reading of the last sample, whether reported or not.
    private var last = Orientation.unknown
    private var isRefreshing = false

    /// Creates a watcher that is off.
    package init(
        loop: EventLoop, feed: DeviceFeed, sampler: Sampler, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.loop = loop
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
        // A pose that has lasted long enough is confirmed by another sample.
        confirmation = try loop.timer(priority: .watcher) { [weak self] in self?.watch?.sample() }
    }

    package var pace: Pace {
        get { watch?.pace ?? .off }
        set {
            if watch?.pace == .off && newValue != .off { begin() }
            watch?.pace = newValue
            if newValue == .off { confirmation?.disarm() }
        }
    }

    /// Forgets the pose of an earlier watch, which must neither delay nor retain a pose.
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
            // A sample without a pose still shows that the sensor is present.
            if isRefreshing { report(filter.pass(last)) }
            return
        }
        last = reading
        report(isRefreshing ? filter.pass(reading) : filter.offer(reading, at: loop.now))
    }

    private func lose() {
        last = .unknown
        report(filter.pass(.unknown))
    }

    private func report(_ reading: Orientation?) {
        if let reading { context.report(.orientation(reading)) }
        guard pace != .off, let deadline = filter.deadline else {
            confirmation?.disarm()
            return
        }
        confirmation?.fire(after: deadline - loop.now)
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
}
