// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWatchers

/// Reads one aspect's sources for all who ask at the same time, once.
///
/// Each gets a reading that was begun after it had asked. A reading begins once everything has been handled that was
/// due when the first one asked: so a hundred peers that ask together cost one reading, however often they do it. And
/// readings take a fifth of the time at most, so that peers who ask all the time leave the rest to others.
final class SharedSampling {
    /// How many times as long as a reading the pause before the next one is.
    private static let rest: UInt64 = 4

    private let loop: any Loop
    /// Before this moment, by the loop's clock, no reading begins.
    private var rested: UInt64 = 0
    /// When the reading began that is being done now, by the thread's clock.
    private var begun: UInt64?
    private var watcher: any Watcher
    private var start: (any LoopSource)?
    private var isReading = false
    /// Tells the reading that is under way from one of a watcher that was replaced.
    private var number = 0
    /// Who gets the reading that is under way.
    private var served: [() -> Void] = []
    /// Who gets the next.
    private var asking: [() -> Void] = []

    init(of watcher: any Watcher, loop: any Loop) throws(SystemError) {
        self.watcher = watcher
        self.loop = loop
        start = try loop.timer { [weak self] in self?.read() }
    }

    /// Whether somebody waits for a reading.
    var isUnderWay: Bool { isReading || !asking.isEmpty }

    /// Asks for a reading; `completion` is called when it has been reported, never before this returns.
    func ask(then completion: @escaping () -> Void) {
        asking.append(completion)
        if !isReading { startSoon() }
    }

    private func startSoon() {
        let now = loop.bootClock
        start?.fire(after: .microseconds(rested > now ? rested - now : 0))
    }

    /// Goes on with another watcher; those who wait for a reading of the one before get one of this.
    func replaceWatcher(by next: any Watcher) {
        watcher = next
        asking = served + asking
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
        watcher.refresh { [weak self, number] in self?.end(number) }
        // What goes on from here goes on elsewhere, and takes nobody's time.
        restFromReading()
    }

    /// Notes when the next reading may begin; answering those who asked is not a part of reading.
    private func restFromReading() {
        guard let start = begun else { return }
        begun = nil
        rested = loop.bootClock + Self.rest * (loop.threadClock - start)
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
