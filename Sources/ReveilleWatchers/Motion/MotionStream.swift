// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// Samples one device at an interval.
///
/// Scans of an open buffer and the axes of an input device are read on the loop, which never waits for them. Everything
/// else is read by a sampler. A buffer that falls silent is replaced by the attributes for a while. Loop thread only.
final class MotionStream {
    let device: MotionDevice
    var sampled: (SensorSample) -> Void = { _ in }
    /// Called when the device has gone.
    var gone: () -> Void = {}
    /// Called with an error; the next sample is tried afterward.
    var failed: (SystemError) -> Void = { _ in }

    /// The waits after which a buffer is silent; after a suspend, one wait may end before the sensor has a scan.
    private static let waits = 2
    /// How long the attributes are read after the buffer failed.
    private static let recovery = Pace.retries[Pace.retries.count - 1]

    private let loop: EventLoop
    private let shared: SharedSensor
    private let sampler: Sampler?
    private let reader: IIOReader?
    private let input: InputDevice?
    private var timer: EventSource?
    /// Waits for a scan in the open buffer.
    private var readable: EventSource?
    /// The time between samples; `nil` while the device rests.
    private var interval: Duration?
    private var due = Instant(microseconds: 0)
    /// Whether the buffer is read at times of the loop, since the sensor is much faster.
    private var isPausing = false
    private var buffer = BufferHealth()
    /// The number of samples in a row with a missing device.
    private var absences = 0
    private var isSampling = false
    /// The number of requests to the reader to rest.
    private var rests = 0
    private var waiting: [(IIOSample?) -> Void] = []

    /// Opens a device at rest; throws `SystemError` if a node, a timer or a thread cannot be opened.
    init(_ device: MotionDevice, loop: EventLoop, shared: SharedSensor) throws(SystemError) {
        self.device = device
        self.loop = loop
        self.shared = shared
        switch device.access {
        case .sampled(let channels):
            sampler = try shared.sampler()
            reader = IIOReader(channels)
            input = nil
        case .input(let node, _):
            sampler = nil
            reader = nil
            input = try InputDevice(node: node)
        }
        timer = try loop.timer(priority: .watcher, handler: weakly(self) { $0.becameDue() })
    }

    deinit {
        readable?.cancel()
        if let reader { sampler?.rest(reader) }
    }

    var manner: String { reader?.manner ?? "by its node" }

    /// Sets the time between samples; before its release a stream must rest, so that others are not left waiting.
    func setInterval(_ interval: Duration?) {
        guard interval != self.interval else { return }
        if self.interval == nil { due = loop.now }
        self.interval = interval
        readable?.cancel()
        readable = nil
        guard let interval else {
            timer?.disarm()
            rests += 1
            if shared.stream === self { shared.stream = nil }
            if let reader { sampler?.rest(reader) }
            return answer(with: nil)
        }
        shared.stream = self
        reader?.want(.seconds(1) / interval)
        take()
    }

    /// Takes a sample now, and calls back with it, or with `nil` for an input device or a stream that
    /// must rest first.
    func sample(then completion: @escaping (IIOSample?) -> Void) {
        waiting.append(completion)
        // An open buffer has its next scan soon.
        if readable == nil || isPausing { take() }
    }

    // MARK: - Samples

    private func take() {
        if let input {
            finish(.input(input))
            answer(with: nil)
        } else if readable != nil, let reader {
            guard let sample = reader.takeWaiting() else { return awaitScan() }
            take(sample)
            answer(with: sample)
        } else {
            request()
        }
    }

    private func request() {
        guard !isSampling, let reader else { return }
        isSampling = true
        // A request during a sample is answered by the next sample.
        let asked = waiting
        waiting = []
        shared.poll?.rest()
        if let recovers = buffer.recovers, loop.now >= recovers {
            buffer.recovers = nil
            reader.refusal.withLock { $0 = nil }
        }
        let rests = rests
        sampler?.sample(reader, isLive: interval != nil) { [weak self] sample, _ in
            defer { for completion in asked { completion(sample) } }
            guard let self else { return }
            isSampling = false
            // After a request to rest, the reader may be busy, and its buffer is closed after another interval.
            if interval != nil, rests == self.rests, reader.isPrepared {
                if let node = reader.node {
                    watch(node)
                } else if buffer.hasScans, buffer.recovers == nil {
                    buffer.recovers = loop.now + Self.recovery
                }
            }
            take(sample)
            if !self.waiting.isEmpty { take() }
        }
    }

    private func take(_ sample: IIOSample) {
        switch sample {
        case .values(let values):
            (absences, buffer.silentWaits) = (0, 0)
            finish(.values(values))
        case .missing:
            absences += 1
            fail { gone() }
        case .failed(let error): fail { failed(error) }
        }
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

    private func answer(with sample: IIOSample?) {
        let answered = waiting
        waiting = []
        for completion in answered { completion(sample) }
    }

    // MARK: - Times

    /// Waits for the next sample.
    private func schedule() {
        guard let interval else { return }
        let now = loop.now
        if readable != nil, !isPausing {
            due = now + interval
            return awaitScan()
        }
        if absences > 0 {
            // A driver that denies a device that is listed must not cause a search at each sample.
            due = now + max(interval, Pace.retries[min(absences, Pace.retries.count) - 1])
        } else {
            // A sample that was requested may be earlier than due.
            due = min(max(due + interval, now), now + interval)
        }
        pause(at: now)
    }

    private func pause(at now: Instant) {
        readable?.rearm([])
        timer?.fire(after: due - now)
    }

    private func awaitScan() {
        isPausing = false
        readable?.rearm(.readable)
        timer?.fire(after: IIOBuffer.patience)
    }

    private func becameDue() {
        guard let readable, !isPausing, let reader else { return take() }
        buffer.silentWaits = (buffer.silentWaits + 1) % Self.waits
        guard buffer.silentWaits == 0 else { return take() }
        readable.cancel()
        self.readable = nil
        let error = SystemError("wait for a scan of", on: device.title, code: ETIMEDOUT)
        reader.refusal.withLock { $0 = error }
        buffer.recovers = loop.now + Self.recovery
        request()
    }

    private func watch(_ node: Int32) {
        isPausing = false
        buffer.hasScans = true
        do throws(SystemError) {
            readable = try loop.watch(
                node, for: .readable, priority: .watcher, handler: weakly(self) { stream, _ in stream.becameReadable() }
            )
        } catch {
            failed(error)
        }
    }

    private func becameReadable() {
        guard let interval else { return }
        let now = loop.now
        // The sensor is faster than its frequency. Its scans wait until the next sample is due.
        if now < due + interval * -0.25, waiting.isEmpty {
            isPausing = true
            return pause(at: now)
        }
        take()
    }
}
