// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// Samples one sensor again and again, and at once when somebody asks.
///
/// One sample is on its way at a time; who asks meanwhile gets the next one, begun after the question. Loop
/// thread only.
final class SensorPoll {
    /// How closely to look; at `.off` it samples on request alone.
    var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            if oldValue == .live { sampler.rest(reader) }
            switch pace {
            case .off: timer?.disarm()
            case .idle where oldValue == .live: schedule()
            // Whoever begins to look more closely wants to know how it is now.
            case .idle, .live: sample()
            }
        }
    }

    /// How the values come, for a person.
    var manner: String { reader.manner }

    private let sampler: Sampler
    private let intervals: SampleIntervals
    private let reader: IIOReader
    private let sampled: (IIOSample) -> Void
    private var timer: EventSource?
    private var isSampling = false
    private var waiting: [() -> Void] = []

    /// Makes a poll that samples nothing yet.
    ///
    /// `sampled` gets each sample, before who asked for it is called.
    init(
        loop: EventLoop, sampler: Sampler, channels: IIOChannels, intervals: SampleIntervals,
        sampled: @escaping (IIOSample) -> Void
    ) throws(SystemError) {
        self.sampler = sampler
        self.intervals = intervals
        reader = IIOReader(channels)
        self.sampled = sampled
        timer = try loop.timer(priority: .watcher) { [weak self] in self?.sample() }
    }

    deinit {
        sampler.rest(reader)
    }

    /// Takes a sample now and then calls back; not at all once the poll is released.
    func sample(then completion: (() -> Void)? = nil) {
        if let completion { waiting.append(completion) }
        guard !isSampling else { return }
        isSampling = true
        let asked = waiting
        waiting = []
        sampler.sample(reader, isLive: pace == .live) { [weak self] sample in
            guard let self else { return }
            isSampling = false
            self.sampled(sample)
            for completion in asked { completion() }
            waiting.isEmpty ? schedule() : self.sample()
        }
    }

    private func schedule() {
        guard let interval = intervals[pace] else { return }
        timer?.fire(after: interval)
    }
}

/// How long to wait between two samples.
struct SampleIntervals {
    /// While somebody is in the foreground.
    var live: Duration
    /// While all are held.
    var idle: Duration

    /// The interval at a pace; `nil` where there is no second sample.
    subscript(pace: Pace) -> Duration? {
        switch pace {
        case .off: nil
        case .idle: idle
        case .live: live
        }
    }
}
