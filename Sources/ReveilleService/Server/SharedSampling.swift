// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleWatchers

/// Reads the sources of one aspect once for all callers that ask at the same time.
///
/// Each caller gets a reading that began after its request. A reading begins after all events that were pending at the
/// first request, so a hundred simultaneous requests cost one reading, which is charged to their users in equal parts.
/// Readings take at most a fifth of the time, which leaves the rest to other peers. Together, the readings of many
/// aspects may take all of it. So a reading for which only users beyond their share wait begins like their calls: after
/// everything else, and in turn with other connections that are served last.
final class SharedSampling {
    /// The pause after a reading, in durations of that reading.
    private static let rest: UInt64 = 4

    private struct Caller {
        /// The user to charge; `nil` for the bus itself.
        let user: UInt32?
        let completion: () -> Void
    }

    private let loop: any Loop
    private let shares: UserShares
    /// The earliest start of the next reading, by the boot clock.
    private var rested: UInt64 = 0
    /// The start of the current reading, by the thread's clock.
    private var begun: UInt64?
    /// The processor time that the current reading took when it was requested.
    private var spent: UInt64 = 0
    /// The watcher's ``Watcher/laterTime`` at the start of the current reading.
    private var laterTime: UInt64 = 0
    private(set) var watcher: any Watcher
    private var start: (any LoopSource)?
    private var isReading = false
    /// Distinguishes the current reading from a replaced watcher's reading.
    private var number = 0
    /// The callers that get the current reading.
    private var served: [Caller] = []
    /// The callers that get the next reading.
    private var asking: [Caller] = []
    /// Whether any of these callers has not exceeded its share.
    private var isUrgent = false
    /// Whether the next reading searches for sources.
    private var isSearching = false

    init(of watcher: any Watcher, loop: any Loop, shares: UserShares) throws(SystemError) {
        self.watcher = watcher
        self.loop = loop
        self.shares = shares
        start = try loop.timer(handler: weakly(self) { $0.read() })
    }

    var isUnderWay: Bool { isReading || !asking.isEmpty }

    /// Requests a reading, with a search for sources if `isSearching`; the user is `nil` for the bus itself.
    ///
    /// The completion is called when the reading has been reported, never before this returns.
    func ask(isSearching: Bool = true, for user: UInt32?, then completion: @escaping () -> Void) {
        asking.append(Caller(user: user, completion: completion))
        if user.map({ shares.isSpent($0, at: loop.bootClock) }) != true { isUrgent = true }
        if isSearching { self.isSearching = true }
        if !isReading { startSoon() }
    }

    private func startSoon() {
        let now = loop.bootClock
        start?.setPriority(isUrgent ? .normal : .flood)
        start?.fire(after: .microseconds(rested > now ? rested - now : 0))
    }

    /// Replaces the watcher with another at the same pace, which also reads for the waiting callers.
    func replaceWatcher(by next: any Watcher) {
        let pace = watcher.pace
        if let stream = watcher as? any StreamWatcher { (next as? any StreamWatcher)?.interval = stream.interval }
        watcher.pace = .off
        watcher = next
        watcher.pace = pace
        asking = served + asking
        isUrgent = true
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
        (asking, isUrgent) = ([], false)
        begun = loop.threadClock
        laterTime = watcher.laterTime
        let end: () -> Void = { [weak self, number] in self?.end(number) }
        let isSearching = isSearching
        self.isSearching = false
        isSearching ? watcher.refresh(then: end) : watcher.update(then: end)
        // The rest of a reading happens on other threads, or in later turns, which the watcher counts.
        restFromReading()
    }

    /// Computes the earliest start of the next reading, before the callers run.
    private func restFromReading() {
        guard let start = begun else { return }
        begun = nil
        spent = loop.threadTime(since: start)
        rested = loop.bootClock + Self.rest * spent
    }

    private func end(_ number: Int) {
        guard number == self.number else { return }
        restFromReading()
        if watcher.laterTime > laterTime {
            spent += watcher.laterTime - laterTime
            rested = loop.bootClock + Self.rest * spent
        }
        let served = served
        self.served = []
        isReading = false
        if !asking.isEmpty { startSoon() }
        for caller in served {
            let time = spent / UInt64(served.count)
            if let user = caller.user, time > 0 { shares.charge(time, to: user, at: loop.bootClock) }
        }
        for caller in served { caller.completion() }
    }
}
