// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// Samples the attributes of one sensor again and again, and at once when somebody asks.
///
/// One sample is on its way at a time; who asks meanwhile gets the next one, begun after the question. Loop
/// thread only.
final class SensorPoll {
    /// Between two samples; `nil` for samples on request alone.
    var interval: Duration? {
        didSet {
            guard interval != oldValue else { return }
            guard let interval else {
                timer?.disarm()
                return
            }
            // Whoever begins to look more closely wants to know how it is now.
            if let oldValue, oldValue < interval { return schedule() }
            sample()
        }
    }

    private let sampler: Sampler
    private let paths: [String]
    private let sampled: ([SysfsAttribute]) -> Void
    private var timer: EventSource?
    private var isSampling = false
    private var waiting: [() -> Void] = []

    /// Makes a poll of some attributes that samples nothing yet.
    ///
    /// `sampled` gets each sample, before who asked for it is called.
    init(
        loop: EventLoop, sampler: Sampler, paths: [String], sampled: @escaping ([SysfsAttribute]) -> Void
    ) throws(SystemError) {
        self.sampler = sampler
        self.paths = paths
        self.sampled = sampled
        timer = try loop.timer(priority: .watcher) { [weak self] in self?.sample() }
    }

    /// Takes a sample now and then calls back; not at all once the poll is released.
    func sample(then completion: (() -> Void)? = nil) {
        if let completion { waiting.append(completion) }
        guard !isSampling else { return }
        isSampling = true
        let asked = waiting
        waiting = []
        sampler.read(paths) { [weak self] attributes in
            guard let self else { return }
            isSampling = false
            sampled(attributes)
            for completion in asked { completion() }
            waiting.isEmpty ? schedule() : sample()
        }
    }

    private func schedule() {
        guard let interval else { return }
        timer?.fire(after: interval)
    }
}
