// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWatchers

/// Reads the sources of one aspect once for all callers that ask at the same time.
///
/// Each caller gets a reading that began after its request. A reading begins after all events that were pending at the
/// first request, so a hundred simultaneous requests cost one reading. Readings take at most a fifth of the time, which
/// leaves the rest to other peers.
final class SharedSampling {
    /// The pause after a reading, in durations of that reading.
    private static let rest: UInt64 = 4

    private let loop: any Loop
    /// The earliest start of the next reading, by the boot clock.
    private var rested: UInt64 = 0
    /// The start of the current reading, by the thread's clock.
    private var begun: UInt64?
    private(set) var watcher: any Watcher
    private var start: (any LoopSource)?
    private var isReading = false
    /// Distinguishes the current reading from one of a replaced watcher.
    private var number = 0
    /// The callers that get the current reading.
    private var served: [() -> Void] = []
    /// The callers that get the next reading.
    private var asking: [() -> Void] = []
    /// Whether the next reading searches for sources.
    private var isSearching = false

    init(of watcher: any Watcher, loop: any Loop) throws(SystemError) {
        self.watcher = watcher
        self.loop = loop
        start = try loop.timer { [weak self] in self?.read() }
    }

    /// Whether a caller waits for a reading.
    var isUnderWay: Bool { isReading || !asking.isEmpty }

    /// Requests a reading.
    ///
    /// - Parameters:
    ///   - isSearching: Whether to search for sources, and not only read the known ones.
    ///   - completion: Called when the reading has been reported, never before this returns.
    func ask(isSearching: Bool = true, then completion: @escaping () -> Void) {
        asking.append(completion)
        if isSearching { self.isSearching = true }
        if !isReading { startSoon() }
    }

    private func startSoon() {
        let now = loop.bootClock
        start?.fire(after: .microseconds(rested > now ? rested - now : 0))
    }

    /// Replaces the watcher by one at the same pace, which also reads for the callers that wait.
    func replaceWatcher(by next: any Watcher) {
        let pace = watcher.pace
        if let stream = watcher as? any StreamWatcher { (next as? any StreamWatcher)?.interval = stream.interval }
        watcher.pace = .off
        watcher = next
        watcher.pace = pace
        asking = served + asking
        isSearching = true
        served = []
        isReading = false
        number += 1
        if !asking.isEmpty { startSoon() }
    }

    private func read() {
        guard !isReading, !asking.isEmpty else { return }
        isReading = true
        served = asking
        asking = []
        begun = loop.threadClock
        let end: () -> Void = { [weak self, number] in self?.end(number) }
        let isSearching = isSearching
        self.isSearching = false
        isSearching ? watcher.refresh(then: end) : watcher.update(then: end)
        // The rest of a reading happens on other threads, and takes none of this thread's time.
        restFromReading()
    }

    /// Computes the earliest start of the next reading, before the callers run.
    private func restFromReading() {
        guard let start = begun else { return }
        begun = nil
        rested = loop.bootClock + Self.rest * loop.threadTime(since: start)
    }

    private func end(_ number: Int) {
        guard number == self.number else { return }
        restFromReading()
        let served = served
        self.served = []
        isReading = false
        if !asking.isEmpty { startSoon() }
        for completion in served { completion() }
    }
}
