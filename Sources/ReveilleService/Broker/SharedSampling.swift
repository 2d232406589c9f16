// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem
import ReveilleWatchers

/// Reads one aspect's sources for all who ask at the same time, once.
///
/// Each gets a reading that was begun after it had asked. A reading begins once everything has been handled that was
/// due when the first one asked: so a hundred peers that ask together cost one reading, however often they do it.
final class SharedSampling {
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
        start = try loop.timer { [weak self] in self?.read() }
    }

    /// Whether somebody waits for a reading.
    var isUnderWay: Bool { isReading || !asking.isEmpty }

    /// Asks for a reading; `completion` is called when it has been reported, never before this returns.
    func ask(then completion: @escaping () -> Void) {
        asking.append(completion)
        if !isReading { start?.fire(after: .zero) }
    }

    /// Goes on with another watcher; those who wait for a reading of the one before get one of this.
    func replaceWatcher(by next: any Watcher) {
        watcher = next
        asking = served + asking
        served = []
        isReading = false
        number += 1
        if !asking.isEmpty { start?.fire(after: .zero) }
    }

    private func read() {
        guard !isReading, !asking.isEmpty else { return }
        isReading = true
        served = asking
        asking = []
        watcher.refresh { [weak self, number] in self?.end(number) }
    }

    private func end(_ number: Int) {
        guard number == self.number else { return }
        let served = served
        self.served = []
        isReading = false
        if !asking.isEmpty { start?.fire(after: .zero) }
        for completion in served { completion() }
    }
}
