// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// Samples one sensor at intervals, and on request.
///
/// One sample is taken at a time. A request during a sample is answered by the next one, which begins after the
/// request. Loop thread only.
final class SensorPoll {
    /// How closely to sample; at `.off`, only on request.
    var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            // The thread has finished with the reader when it has taken the samples of the next trial.
            speed.restart()
            if oldValue == .live { sampler.rest(reader) }
            switch pace {
            case .off: timer?.disarm()
            case .idle where oldValue == .live: schedule()
            // A closer pace begins with a fresh sample.
            case .idle, .live: sample()
            }
        }
    }

    /// How the sensor is read, for a person.
    var manner: String { reader.manner }

    /// Whether to sample three times as often at the pace `.live`.
    var isAttentive = false

    private let sampler: Sampler
    private let intervals: SampleIntervals
    private let reader: IIOReader
    private let sampled: (IIOSample) -> Void
    private var timer: SharedTimer.Poll?
    private var speed = SensorSpeed()
    private var isSampling = false
    private var waiting: [() -> Void] = []

    /// Creates a poll that is off; `sampled` is called with each sample, before the callers that requested it.
    init(
        timer: SharedTimer, sampler: Sampler, channels: IIOChannels, intervals: SampleIntervals,
        sampled: @escaping (IIOSample) -> Void
    ) {
        self.sampler = sampler
        self.intervals = intervals
        reader = IIOReader(channels)
        self.sampled = sampled
        self.timer = timer.poll { [weak self] in self?.sample() }
    }

    deinit {
        sampler.rest(reader)
    }

    /// Takes a sample and calls back, unless the poll is released first.
    func sample(then completion: (() -> Void)? = nil) {
        if let completion { waiting.append(completion) }
        guard !isSampling else { return }
        isSampling = true
        let asked = waiting
        waiting = []
        if speed.isQuick, let sample = sampler.sampleOnLoop(reader, isLive: pace == .live) {
            return take(sample, for: asked)
        }
        sampler.sample(reader, isLive: pace == .live) { [weak self] sample, microseconds in
            self?.speed.note(microseconds)
            self?.take(sample, for: asked)
        }
    }

    private func take(_ sample: IIOSample, for asked: [() -> Void]) {
        isSampling = false
        sampled(sample)
        for completion in asked { completion() }
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

    /// The interval at a pace, a third for an attentive one at `.live`; `nil` when the sensor is off.
    subscript(pace: Pace, isAttentive: Bool = false) -> Duration? {
        switch pace {
        case .off: nil
        case .idle: idle
        case .live: isAttentive ? live / 3 : live
        }
    }
}
