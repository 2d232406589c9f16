// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// Reads slow sensors on a thread of its own.
///
/// A sensor at 1 Hz blocks a read of sysfs for a second, and the loop must not wait for it. The thread takes readers,
/// and its samples are delivered on the loop. ``SensorSpeed`` determines which sensors are slow.
package final class Sampler {
    private enum Work: Sendable {
        case sample(number: Int, IIOReader, isLive: Bool)
        case rest(IIOReader)
    }

    /// The state that the two threads share.
    private final class Exchange: Sendable {
        struct State: Sendable {
            var requests: [Work] = []
            var results: [(number: Int, sample: IIOSample, microseconds: Int64)] = []
        }

        let state = Lock(State())
        /// Written to wake the thread; closed to end it.
        let requestPipe: Pipe
        /// Written to wake the loop.
        let resultPipe: Pipe
        /// Written when the thread ends.
        let endPipe: Pipe

        init() throws(SystemError) {
            requestPipe = try Pipe()
            resultPipe = try Pipe()
            endPipe = try Pipe()
        }

        func work() {
            while requestPipe.waitForWake() {
                let requests = state.withLock { state in
                    defer { state.requests = [] }
                    return state.requests
                }
                for request in requests {
                    switch request {
                    case .sample(let number, let reader, let isLive):
                        let time = BlockedTime()
                        let sample = reader.sample(isLive: isLive)
                        let microseconds = time.microseconds()
                        state.withLock { $0.results.append((number, sample, microseconds)) }
                        resultPipe.wake()
                    case .rest(let reader):
                        reader.rest()
                    }
                }
            }
            endPipe.wake()
        }

        func request(_ work: Work) {
            state.withLock { $0.requests.append(work) }
            requestPipe.wake()
        }
    }

    /// How long `deinit` waits for a sensor to rest: five times the timeout of a sensor, and far less than
    /// supervisors wait for a service to stop.
    private static let patience: Duration = .seconds(5)

    private let exchange: Exchange
    private var source: EventSource?
    private var completions: [Int: (IIOSample, Int64) -> Void] = [:]
    private var lastNumber = 0
    /// Whether a sensor has blocked the loop after its trial, so that no sensor is read there any more.
    private var isRequired = false
    /// Whether a sensor measures, or keeps changed attributes, until it rests.
    private var hasTraces = false

    package init(loop: EventLoop) throws(SystemError) {
        exchange = try Exchange()
        source = try loop.watch(
            exchange.resultPipe.readingEnd, for: .readable, priority: .watcher,
            handler: weakly(self) { sampler, _ in sampler.deliver() })
        try Pthread.start { [exchange] in exchange.work() }
    }

    deinit {
        source?.cancel()
        exchange.requestPipe.closeWritingEnd()
        guard hasTraces else { return }
        // If the process exited immediately, the sensor could continue to measure. A sensor that hangs is abandoned.
        _ = try? Readiness.wait(exchange.endPipe.readingEnd, for: .readable, atMost: Self.patience)
    }

    /// Takes a sample; more samples follow soon if it is live.
    ///
    /// `completion` is called on the loop, not before this call returns, with the sample and the time in microseconds that
    /// the sensor blocked the thread.
    package func sample(_ reader: IIOReader, isLive: Bool, completion: @escaping (IIOSample, Int64) -> Void) {
        lastNumber += 1
        if reader.needsRest { hasTraces = true }
        completions[lastNumber] = completion
        exchange.request(.sample(number: lastNumber, reader, isLive: isLive))
    }

    /// Takes a sample of a quick sensor on the loop, unless one is requested already; `nil` if the thread must take it.
    func sampleOnLoop(_ reader: IIOReader, isLive: Bool) -> IIOSample? {
        guard !isRequired else { return nil }
        let time = BlockedTime()
        let sample = reader.sampleAtOnce(isLive: isLive)
        isRequired = !SensorSpeed.isQuick(time.microseconds())
        return sample
    }

    /// Lets a sensor rest after the requested samples.
    package func rest(_ reader: IIOReader) {
        guard reader.needsRest else { return }
        exchange.request(.rest(reader))
    }

    private func deliver() {
        exchange.resultPipe.drain()
        let results = exchange.state.withLock { state in
            defer { state.results = [] }
            return state.results
        }
        for result in results {
            completions.removeValue(forKey: result.number)?(result.sample, result.microseconds)
        }
    }
}

/// Determines whether a sensor is quick enough to be read on the loop.
///
/// A driver may block a read for seconds, and the loop must not wait for it. Therefore, a sensor's speed is unknown at
/// first, and also after a change of pace: a sensor that rests between reads takes time to wake up. A few quick reads
/// on a separate thread show that the sensor is quick.
package struct SensorSpeed {
    /// The longest time of a quick read in microseconds: I2C answers within a thousand, and no client notices two.
    private static let limit: Int64 = 2_000
    /// The number of successive quick reads of a quick sensor; at five seconds each, they cost wake-ups for 15 seconds.
    private static let trial = 3

    private var quickReads = 0

    package init() {}

    /// Whether the sensor may be read on the loop.
    package var isQuick: Bool { quickReads >= Self.trial }

    /// Returns whether a read that took so many microseconds is quick.
    package static func isQuick(_ microseconds: Int64) -> Bool { microseconds <= limit }

    /// Takes the duration of a read into account, in microseconds.
    package mutating func note(_ microseconds: Int64) {
        quickReads = Self.isQuick(microseconds) ? min(quickReads + 1, Self.trial) : 0
    }

    package mutating func restart() {
        quickReads = 0
    }
}
