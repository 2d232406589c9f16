// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// Samples one sensor at intervals, and on request.
///
/// One sample is taken at a time. A request during a sample is answered by the next sample, which begins after the
/// request. Loop thread only.
final class SensorPoll {
    /// How closely to sample; at `.off`, only on request.
    var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            speed.restart()
            if oldValue == .live { rest() }
            switch pace {
            case .off: timer?.disarm()
            case .idle where oldValue == .live: schedule()
            // A closer pace begins with a fresh sample.
            case .idle, .live: sample()
            }
        }
    }

    var manner: String { stream?.manner ?? reader.manner }

    /// Whether to sample three times as often at the pace `.live`.
    var isAttentive = false

    private let shared: SharedSensor
    private let sampler: Sampler
    private let intervals: SampleIntervals
    private let reader: IIOReader
    private let sampled: (IIOSample) -> Void
    private var timer: SharedTimer.Poll?
    private var speed = SensorSpeed()
    /// Whether the reader may have the sensor's buffer open.
    private var isOpen = false
    private var isSampling = false
    /// The callers that get the sample under way.
    private var asked: [() -> Void] = []
    /// The callers that get the next sample.
    private var waiting: [() -> Void] = []

    /// Creates a poll that is off; `sampled` is called with each sample, before the callers that requested it.
    init(
        timer: SharedTimer, shared: SharedSensor, channels: IIOChannels, intervals: SampleIntervals,
        sampled: @escaping (IIOSample) -> Void
    ) throws(SystemError) {
        self.shared = shared
        sampler = try shared.sampler()
        self.intervals = intervals
        reader = IIOReader(channels)
        self.sampled = sampled
        self.timer = timer.poll(handler: weakly(self) { $0.sample() })
        shared.poll = self
    }

    deinit {
        sampler.rest(reader)
    }

    func reconsiderAccess() {
        reader.reconsiderAccess()
    }

    /// Takes a sample and calls back, unless ``takeCallers()`` comes first.
    func sample(then completion: (() -> Void)? = nil) {
        if let completion { waiting.append(completion) }
        guard !isSampling else { return }
        isSampling = true
        (asked, waiting) = (waiting, [])
        if let stream { return sample(of: stream) }
        if pace == .live, reader.channels.node != nil { isOpen = true }
        if speed.isQuick, let sample = sampler.sampleOnLoop(reader, isLive: pace == .live) {
            return take(sample)
        }
        sampler.sample(reader, isLive: pace == .live) { [weak self] sample, microseconds in
            self?.speed.note(microseconds)
            self?.take(sample)
        }
    }

    private var stream: MotionStream? { shared.stream(of: reader.channels.device) }

    /// Takes a sample of a stream; the stream's channels begin with this poll's.
    private func sample(of stream: MotionStream) {
        stream.sample(
            then: weakly(self) { poll, sample in
                if let sample { return poll.take(sample) }
                // The stream has ended.
                poll.isSampling = false
                poll.waiting = poll.takeCallers()
                poll.sample()
            })
    }

    /// Closes the sensor's buffer, before another reader uses the sensor.
    func rest() {
        guard isOpen else { return }
        isOpen = false
        // Once the thread has taken the samples of the next trial, it has finished with the reader.
        speed.restart()
        sampler.rest(reader)
    }

    /// Takes over the callers that have no sample yet, before the poll is released.
    func takeCallers() -> [() -> Void] {
        defer { (asked, waiting) = ([], []) }
        return asked + waiting
    }

    private func take(_ sample: IIOSample) {
        isSampling = false
        sampled(sample)
        let answered = asked
        asked = []
        for completion in answered { completion() }
        waiting.isEmpty ? schedule() : self.sample()
    }

    private func schedule() {
        guard let interval = intervals[pace, isAttentive] else { return }
        timer?.fire(within: interval)
    }
}

/// The time between two samples.
struct SampleIntervals {
    /// While a subscriber is in the foreground.
    var live: Duration
    /// While all subscribers are held.
    var idle: Duration

    /// The interval at a pace; a third of it for an attentive poll at `.live`; `nil` when the sensor is off.
    subscript(pace: Pace, isAttentive: Bool = false) -> Duration? {
        switch pace {
        case .off: nil
        case .idle: idle
        case .live: isAttentive ? live / 3 : live
        }
    }
}
