// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
package import ReveilleSystem

/// Samples the accelerometer and the gyroscope as often as the fastest of their watchers wants; loop thread only.
package final class MotionFeed {
    /// A watcher's use of the feed; releasing the use ends it.
    package final class Use {
        var sampled: (Motion) -> Void = { _ in }
        /// Called when there is no sensor.
        var gone: () -> Void = {}
        /// The time between samples; `nil` while none are wanted.
        var interval: Duration? {
            didSet {
                guard interval != oldValue else { return }
                due = nil
                feed.adjust()
            }
        }

        private let feed: MotionFeed
        let context: WatcherContext
        /// The time of the next sample; `nil` to take the next available sample.
        private var due: Instant?

        init(_ feed: MotionFeed, context: WatcherContext) {
            self.feed = feed
            self.context = context
        }

        deinit {
            feed.end(ObjectIdentifier(self))
        }

        /// Takes a sample of the feed, unless it comes sooner than wanted because others want more.
        func take(_ motion: Motion, at now: Instant, every fastest: Duration) {
            guard let interval else { return }
            if let due, now < due + fastest * -0.5 { return }
            due = max((due ?? now) + interval, now)
            sampled(motion)
        }
    }

    private struct Weak {
        weak var use: Use?
    }

    let settings: OrientationWatcher.Settings
    let finder: DeviceReader<(), [MotionDevice.Found]>
    private let loop: EventLoop
    private let feed: DeviceFeed
    private var uses: [ObjectIdentifier: Weak] = [:]
    /// The number of requests for a sample that are under way.
    private var requests = 0
    private var interest: DeviceFeed.Interest?
    /// The sensors that are present, the accelerometer first.
    private var streams: [MotionStream] = []
    /// The sensors of the streams, by position: the accelerometer, and the gyroscope of another device.
    private let sensors: [SharedSensor]
    private var latest: [MotionDevice.Values] = []
    private var clock = SampleClock()
    /// The time between samples; `nil` while none are wanted.
    private var interval: Duration?
    /// The last problem of each device by its title; a problem of all devices has the empty title.
    private var problems: [String: String] = [:]

    /// Creates a feed that samples nothing; ``OrientationWatcher`` uses the sensor too.
    package init(
        loop: EventLoop, feed: DeviceFeed, sensor: SharedSensor, settings: OrientationWatcher.Settings
    ) {
        self.loop = loop
        sensors = [sensor, SharedSensor(loop: loop)]
        self.feed = feed
        self.settings = settings
        finder = DeviceReader(loop: loop, slow: feed.slow, of: DeviceFeed.sensorSubsystems, nothing: ()) {
            _ throws(SystemError) in try MotionDevice.found(settings)
        }
        finder.taken = weakly(self) { feed, found, _ in feed.use(found) }
    }

    func begin(context: WatcherContext) -> Use {
        let use = Use(self, context: context)
        uses[ObjectIdentifier(use)] = Weak(use: use)
        return use
    }

    private func end(_ use: ObjectIdentifier) {
        uses[use] = nil
        adjust()
    }

    private var active: [Use] { uses.values.compactMap(\.use) }

    /// How the sensors are read, for a person; `nil` when none is open.
    var manner: String? { streams.isEmpty ? nil : streams.map(\.manner).joined(separator: " and ") }

    /// Takes one sample for a use, whether it wants samples or not, and calls back within ``Pace/sampleTimeout``.
    func sample(for use: Use, then completion: @escaping () -> Void) {
        requests += 1
        sample(for: use, until: loop.now + Pace.sampleTimeout) { [weak self] in
            self?.requests -= 1
            completion()
        }
    }

    private func sample(for use: Use, until end: Instant, then completion: @escaping () -> Void) {
        guard interest == nil || streams.isEmpty else { return sampleStreams(for: use, until: end, then: completion) }
        finder.read(then: weakly(self) { $0.sampleStreams(for: use, until: end, then: completion) })
    }

    private func sampleStreams(for use: Use, until end: Instant, then completion: @escaping () -> Void) {
        guard !streams.isEmpty else {
            use.gone()
            return completion()
        }
        let asked = streams
        var isDone = false
        var timer: EventSource?
        let finish = { [weak self, weak use] in
            guard !isDone else { return }
            isDone = true
            timer = nil
            if let self, let use {
                // Streams that were released have no sample.
                if streams.first !== asked[0], loop.now < end {
                    return sample(for: use, until: end, then: completion)
                }
                if let motion = motion() { use.sampled(motion) }
                // While nobody wants samples, nothing stays open.
                if interval == nil { release() }
            }
            completion()
        }
        do throws(SystemError) {
            timer = try loop.timer(priority: .watcher, handler: finish)
        } catch {
            warn(error)
            return finish()
        }
        timer?.fire(after: end - loop.now)
        var open = asked.count
        for stream in asked {
            stream.sample { _ in
                open -= 1
                // A stream also answers when a change of pace releases it, and this change must not be interrupted.
                if open == 0 { timer?.fire(after: .zero) }
            }
        }
    }

    // MARK: - Devices

    /// Samples as often as the uses want.
    private func adjust() {
        interval = active.compactMap(\.interval).min()
        guard interval != nil else {
            interest = nil
            return release()
        }
        if interest == nil {
            do throws(SystemError) {
                interest = try feed.listen(to: DeviceFeed.sensorSubsystems) { [weak self] changes in
                    if changes.areIncomplete { self?.active.first?.context.overflowed() }
                    self?.finder.read()
                }
            } catch {
                warn(error)
            }
            finder.read()
        }
        // The first sample of a stream may change the interval.
        for stream in streams { stream.setInterval(self.interval) }
    }

    private func release() {
        let released = streams
        streams = []
        latest = []
        for stream in released { stream.setInterval(nil) }
    }

    private func use(_ outcome: Result<[MotionDevice.Found], SystemError>) {
        guard interval != nil || requests > 0 else { return }
        let found: [MotionDevice]
        do throws(SystemError) {
            // Input devices that cannot be opened are reported below.
            found = try outcome.get().filter { (try? $0.problem.get()) ?? nil == nil }.map(\.device)
        } catch {
            return warn(error)
        }
        guard found != streams.map(\.device) else { return }
        let wasPresent = !streams.isEmpty
        release()
        for (device, sensor) in zip(found, sensors) { open(device, sensor) }
        if streams.isEmpty, wasPresent { for use in active where use.interval != nil { use.gone() } }
        for stream in streams { stream.setInterval(interval) }
    }

    private func open(_ device: MotionDevice, _ sensor: SharedSensor) {
        do throws(SystemError) {
            let stream = try MotionStream(device, loop: loop, shared: sensor)
            stream.gone = weakly(self) { $0.finder.read() }
            stream.failed = weakly(self) { $0.warn($1, of: device.title) }
            stream.sampled = { [weak self, unowned stream] in self?.take($0, of: stream) }
            streams.append(stream)
            latest.append(MotionDevice.Values())
        } catch {
            // Access to its node may be granted a moment later, when udev sets the group.
            warn(error)
        }
    }

    /// Keeps the previous state after an error, and logs the error once while it lasts.
    private func warn(_ error: SystemError, of device: String = "") {
        let text = "\(error); the previous state is kept"
        if text != problems[device] { active.first?.context.warn(text) }
        problems[device] = text
    }

    // MARK: - Samples

    private func take(_ sample: SensorSample, of stream: MotionStream) {
        guard let index = streams.firstIndex(where: { $0 === stream }) else { return }
        do throws(SystemError) {
            let values = try stream.device.values(sample)
            guard values.acceleration != nil || values.rotation != nil else {
                throw SystemError("find a plausible value of", on: stream.device.title, code: EINVAL)
            }
            latest[index] = values
            problems[stream.device.title] = nil
        } catch {
            return warn(error, of: stream.device.title)
        }
        guard index == 0, let interval, let motion = motion() else { return }
        for use in active { use.take(motion, at: loop.now, every: interval) }
    }

    /// Returns the latest values of all sensors; `nil` before the first.
    private func motion() -> Motion? {
        guard let first = latest.first else { return nil }
        let acceleration = latest.lazy.compactMap(\.acceleration).first
        let rotation = latest.lazy.compactMap(\.rotation).first
        guard acceleration != nil || rotation != nil else { return nil }
        return Motion(
            acceleration: acceleration, rotation: rotation,
            takenAt: clock.time(first.time, now: Timestamp(microseconds: loop.wallClock), boot: loop.now))
    }
}
