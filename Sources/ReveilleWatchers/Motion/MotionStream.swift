// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Samples one device at an interval.
///
/// Scans of an open buffer and the axes of an input device are read on the loop, which never waits for them. Everything
/// else is read by a sampler. Loop thread only.
final class MotionStream {
    let device: MotionDevice
    /// Takes a sample.
    var sampled: (SensorSample) -> Void = { _ in }
    /// Called when the device has gone.
    var gone: () -> Void = {}
    /// Called with an error, after which the next sample is tried.
    var failed: (SystemError) -> Void = { _ in }

    private let loop: EventLoop
    private let sampler: Sampler?
    private let reader: IIOReader?
    private let input: InputDevice?
    private var timer: EventSource?
    /// Waits for a scan in the open buffer.
    private var readable: EventSource?
    /// The time between samples; `nil` while the device rests.
    private var interval: Duration?
    /// The time of the next sample.
    private var due = Instant(microseconds: 0)
    /// Whether the buffer is read at times of the loop, since the sensor is much faster than the interval.
    private var isPausing = false
    private var isSampling = false
    /// The number of requests to the reader to rest.
    private var rests = 0
    private var waiting: [() -> Void] = []

    /// Opens a device, which rests.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - loop: The loop.
    ///   - sampler: Returns the sampler for a device of the IIO subsystem.
    /// - Throws: `SystemError` if an input device or a timer cannot be opened.
    init(
        _ device: MotionDevice, loop: EventLoop, sampler: () throws(SystemError) -> Sampler
    ) throws(SystemError) {
        self.device = device
        self.loop = loop
        switch device.access {
        case .sampled(let channels):
            self.sampler = try sampler()
            reader = IIOReader(channels)
            input = nil
        case .input(let node, _):
            self.sampler = nil
            reader = nil
            input = try InputDevice(node: node)
        }
        timer = try loop.timer(priority: .watcher) { [weak self] in self?.take() }
    }

    deinit {
        readable?.cancel()
        if let reader { sampler?.rest(reader) }
    }

    /// How the device is read, for a person.
    var manner: String { reader?.manner ?? "by its node" }

    /// Sets the time between samples, or lets the device rest.
    func setInterval(_ interval: Duration?) {
        guard interval != self.interval else { return }
        if self.interval == nil { due = loop.now }
        self.interval = interval
        readable?.cancel()
        readable = nil
        guard let interval else {
            timer?.disarm()
            rests += 1
            if let reader { sampler?.rest(reader) }
            return
        }
        reader?.want(.seconds(1) / interval)
        take()
    }

    /// Takes a sample now, and calls back when it has been taken, unless the stream is released first.
    ///
    /// A stream that does not rest calls back with its next sample.
    func sample(then completion: @escaping () -> Void) {
        waiting.append(completion)
        if interval == nil { take() }
    }

    // MARK: - Samples

    private func take() {
        if let input {
            finish(.input(input))
            answer()
        } else if let readable, let reader {
            guard let sample = reader.takeWaiting() else {
                isPausing = false
                return readable.rearm(.readable)
            }
            take(sample)
        } else {
            request()
        }
    }

    private func request() {
        guard !isSampling, let reader else { return }
        isSampling = true
        let rests = rests
        sampler?.sample(reader, isLive: interval != nil) { [weak self] sample, _ in
            guard let self else { return }
            isSampling = false
            // After a request to rest, the reader may be busy, and its buffer is closed after another interval.
            if interval != nil, rests == self.rests, reader.isPrepared, let node = reader.node { watch(node) }
            take(sample)
        }
    }

    private func take(_ sample: IIOSample) {
        switch sample {
        case .values(let values): finish(.values(values))
        case .missing: fail { gone() }
        case .failed(let error): fail { failed(error) }
        }
        answer()
    }

    private func finish(_ sample: SensorSample) {
        schedule()
        sampled(sample)
    }

    /// Reports an error; the device may still be there, and is tried again.
    private func fail(_ report: () -> Void) {
        readable?.cancel()
        readable = nil
        schedule()
        report()
    }

    private func answer() {
        let answered = waiting
        waiting = []
        for completion in answered { completion() }
    }

    // MARK: - Times

    /// Waits for the next sample.
    private func schedule() {
        guard let interval else { return }
        let now = loop.now
        if let readable, !isPausing {
            due = now + interval
            return readable.rearm(.readable)
        }
        due = max(due + interval, now)
        pause(at: now)
    }

    private func pause(at now: Instant) {
        readable?.rearm([])
        timer?.fire(after: due - now)
    }

    private func watch(_ node: Int32) {
        isPausing = false
        do throws(SystemError) {
            readable = try loop.watch(node, for: .readable, priority: .watcher) { [weak self] _ in
                self?.becameReadable()
            }
        } catch {
            failed(error)
        }
    }

    private func becameReadable() {
        guard let interval else { return }
        let now = loop.now
        // The sensor is faster than its frequency. Its scans wait until one of them is due.
        if now < due + interval * -0.25 {
            isPausing = true
            return pause(at: now)
        }
        take()
    }
}
