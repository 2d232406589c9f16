// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem
package import ReveilleWatchers

/// A watcher of one aspect of the reality: the locale always, the battery on demand.
package final class SimulatedWatcher: Watcher {
    package let aspect: BuiltInAspect
    private let reality: Reality
    private let loop: SimulatedLoop
    private let report: (Reading) -> Void
    private var random: SplitMix64
    private var samples: [SimulatedLoop.Source] = []
    /// The number of requested samples.
    package private(set) var readings = 0
    /// The processor time in microseconds that each requested sample takes in a later turn of the loop.
    package var cost: UInt64 = 0
    package private(set) var laterTime: UInt64 = 0

    init(
        _ aspect: BuiltInAspect, of reality: Reality, loop: SimulatedLoop, random: SplitMix64,
        report: @escaping (Reading) -> Void
    ) {
        self.aspect = aspect
        self.reality = reality
        self.loop = loop
        self.random = random
        self.report = report
    }

    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue, pace != .off else { return }
            if aspect == .locale { look() } else { sample {} }
        }
    }

    /// Handles a notification that the state changed.
    func look() {
        if pace == .live { report(reality.reading(of: aspect)) }
    }

    package func refresh(then completion: @escaping () -> Void) {
        readings += 1
        sample { [weak self] in
            if let self { laterTime += cost }
            completion()
        }
    }

    /// Starts a sample, which takes some time and has the state at its end.
    private func sample(_ completion: @escaping () -> Void) {
        weak var own: SimulatedLoop.Source?
        let timer = loop.makeTimer(priority: .watcher) { [weak self] in
            guard let self else { return }
            samples.removeAll { $0 === own }
            report(reality.reading(of: aspect))
            completion()
        }
        own = timer
        timer.fire(after: .milliseconds(Int.random(in: 0...30, using: &random)))
        samples.append(timer)
    }

    package var source: SourceDescription {
        aspect == .battery && reality.isBatteryGone ? .unavailable("it has gone") : .available("simulated")
    }

    package func examine() -> Examination { Examination() }
}
