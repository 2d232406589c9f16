// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

protocol FoundSensor: Equatable, Sendable {
    var access: SensorAccess { get }
}

/// How a sensor is read.
enum SensorAccess: Hashable {
    /// By samples of a sensor of the IIO subsystem.
    case sampled(IIOChannels)
    /// By its node in `/dev/input`, whose events lead to a read: at once, or in a stream of values, at most once an
    /// interval.
    case input(String, isStream: Bool)
}

enum SensorSample {
    /// The raw value of each channel.
    case values([Double])
    case input(InputDevice)
}

/// Finds a sensor, reads it at the current pace, and follows its removal and replacement; loop thread only.
final class SensorWatch<Sensor: FoundSensor> {
    private let loop: EventLoop
    private let feed: DeviceFeed
    private let timer: SharedTimer
    private let context: WatcherContext
    private let intervals: SampleIntervals
    /// Finds all candidates, preferred ones first.
    let candidates: @Sendable () throws(SystemError) -> [SensorCandidate<Sensor>]
    let finder: DeviceReader<(), [SensorCandidate<Sensor>]>
    /// Takes a sample; throws the error that the sensor returned instead of a value.
    var sampled: (Sensor, SensorSample) throws(SystemError) -> Void = { _, _ in }
    /// Called when there is no sensor.
    var gone: () -> Void = {}

    private var interest: DeviceFeed.Interest?
    private var sensor: Sensor?
    /// Whether the sensor, or its absence, is the result of the last search.
    private var isFound = false
    private var poll: SensorPoll?
    /// The sensor's own thread, so that a driver that hangs delays only its sensor.
    private let shared: SharedSensor
    private var input: (device: InputDevice, source: EventSource)?
    private var pause: SharedTimer.Poll?
    private let problem: SourceProblem
    /// The number of requests under way.
    private var requests = 0

    /// Creates a watch that is off; `shared` is the sensor that other readers use too.
    init(
        loop: EventLoop, timer: SharedTimer, feed: DeviceFeed, context: WatcherContext, intervals: SampleIntervals,
        shared: SharedSensor? = nil,
        candidates: @escaping @Sendable () throws(SystemError) -> [SensorCandidate<Sensor>]
    ) {
        self.loop = loop
        self.timer = timer
        self.feed = feed
        self.context = context
        problem = SourceProblem(context)
        self.intervals = intervals
        self.shared = shared ?? SharedSensor(loop: loop)
        self.candidates = candidates
        finder = DeviceReader(loop: loop, slow: feed.slow, of: DeviceFeed.sensorSubsystems, nothing: ()) {
            _ throws(SystemError) in try candidates()
        }
        finder.taken = weakly(self) { watch, candidates, _ in watch.use(candidates) }
        pause = timer.poll(handler: weakly(self) { $0.input?.source.rearm(.readable) })
    }

    var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            if pace == .off { return stop() }
            if oldValue == .off { start() }
            poll?.pace = pace
            if pace == .live { input?.source.rearm(.readable) }
        }
    }

    /// Whether to sample three times as often while a subscriber is in the foreground.
    var isAttentive = false {
        didSet { poll?.isAttentive = isAttentive }
    }

    /// How the sensor is read, for a person; `nil` when no sensor is open.
    var manner: String? { poll?.manner ?? input.map { _ in "by its node" } }

    private func start() {
        problem.attempt { () throws(SystemError) in
            interest = try feed.listen(
                to: DeviceFeed.sensorSubsystems,
                changed: weakly(self) { watch, changes in
                    if changes.areIncomplete { watch.context.overflowed() }
                    watch.poll?.reconsiderAccess()
                    watch.finder.read()
                })
        }
        finder.read()
    }

    private func stop() {
        interest = nil
        let callers = poll?.takeCallers() ?? []
        release()
        sensor = nil
        isFound = false
        for caller in callers { caller() }
    }

    private func release() {
        poll = nil
        input?.source.cancel()
        input = nil
    }

    /// Uses the first sensor of those that are present now.
    private func use(_ candidates: Result<[SensorCandidate<Sensor>], SystemError>) {
        guard pace != .off || requests > 0 else { return }
        isFound = false
        let found: Sensor?
        do throws(SystemError) {
            found = try candidates.get().lazy.compactMap(\.sensor).first
        } catch {
            return problem.warn("\(error); the previous reading is kept")
        }
        let callers = found == sensor ? [] : poll?.takeCallers() ?? []
        if found != sensor { replaceSensor(by: found) }
        isFound = sensor == found
        if sensor == nil { gone() }
        // They get a sample of the new sensor, if there is one.
        for caller in callers { sampleOpen(then: caller) }
    }

    private func replaceSensor(by found: Sensor?) {
        release()
        sensor = found
        guard let found else { return }
        do throws(SystemError) {
            try open(found)
            problem.clear()
        } catch {
            // Access to its node may be granted a moment later, when udev sets the group.
            sensor = nil
            problem.warn("\(error); retried when a device changes")
        }
    }

    private func open(_ sensor: Sensor) throws(SystemError) {
        switch sensor.access {
        case .sampled(let channels):
            poll = try SensorPoll(
                timer: timer, shared: shared, channels: channels, intervals: intervals,
                sampled: weakly(self) { $0.take($1) })
            poll?.pace = pace
        case .input(let node, let isStream):
            let device = try InputDevice(node: node)
            let source = try loop.watch(
                device.number, for: .readable, priority: .watcher,
                handler: weakly(self) { watch, _ in watch.inputChanged(device, isStream: isStream) })
            input = (device, source)
            take(.input(device))
        }
    }

    private func inputChanged(_ device: InputDevice, isStream: Bool) {
        guard device.drain() else {
            release()
            sensor = nil
            return finder.read()
        }
        take(.input(device))
        guard isStream, let interval = intervals[pace, isAttentive] else { return }
        // A sensor may send a hundred events a second. They are ignored until the next sample is due.
        input?.source.rearm([])
        pause?.fire(within: interval)
    }

    private func take(_ sample: IIOSample) {
        switch sample {
        case .values(let values): take(SensorSample.values(values))
        case .missing: finder.read()
        case .failed(let error): problem.warn("\(error); the previous reading is kept")
        }
    }

    private func take(_ sample: SensorSample) {
        guard let sensor else { return }
        problem.attempt { () throws(SystemError) in try sampled(sensor, sample) }
    }

    /// Takes a sample now, if a sensor is open.
    func sample() {
        if let input { take(.input(input.device)) }
        poll?.sample()
    }

    /// Takes a sample now, at any pace, and calls back within a timeout.
    ///
    /// Without a search, the sensor is the one that the events of devices have led to, if these are followed.
    func refresh(
        isSearching: Bool = true, within timeout: Duration = Pace.sampleTimeout, then completion: @escaping () -> Void
    ) {
        if !isSearching {
            feed.catchUp()
            if interest != nil, isFound, !finder.isReading { return sample(within: timeout, then: completion) }
        }
        let wasOff = pace == .off
        if wasOff { sensor = nil }
        requests += 1
        let finish = finder.bounded { [weak self] in
            self?.requests -= 1
            // While off, nothing stays open.
            if wasOff, let self, pace == .off { stop() }
            completion()
        }
        finder.read { [weak self] in
            guard let self else { return finish() }
            sample(within: timeout, then: finish)
        }
    }

    private func sample(within timeout: Duration, then completion: @escaping () -> Void) {
        // A late sample still counts.
        sampleOpen(then: poll == nil ? completion : loop.once(within: timeout, completion))
    }

    private func sampleOpen(then completion: @escaping () -> Void) {
        if let input { take(.input(input.device)) }
        guard let poll else { return completion() }
        poll.sample(then: completion)
    }
}
