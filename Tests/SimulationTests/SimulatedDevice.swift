// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWatchers

/// How things really are, whether a bus lives or not: each state of an aspect has a number that only grows.
final class Reality {
    static let aspects: [Aspect] = [.locale, .battery]
    private(set) var number = AspectTable<Int>(repeating: 0)

    func change(_ aspect: Aspect) {
        number[aspect] += 1
    }

    func reading(of aspect: Aspect) -> Reading {
        let number = number[aspect]
        guard aspect == .locale else {
            return .battery(
                Battery(
                    state: .unplugged, level: Double(number) / 1_000_000, isPlugged: false, chargeStatus: .discharging,
                    packs: []))
        }
        let name = "n\(number)"
        return .locale(
            LocaleSettings(
                identifier: name, languages: [], numeric: name, time: name, monetary: name, measurement: name))
    }
}

/// Watches the reality of one aspect: a battery when somebody asks, a locale always.
final class SimulatedWatcher: Watcher {
    let aspect: Aspect
    private let reality: Reality
    private let loop: SimulatedLoop
    private let report: (Reading) -> Void
    private var random: SplitMix64
    private var samples: [SimulatedLoop.Source] = []
    /// How often somebody had it read its source.
    private(set) var readings = 0

    init(
        _ aspect: Aspect, of reality: Reality, loop: SimulatedLoop, seed: UInt64, report: @escaping (Reading) -> Void
    ) {
        self.aspect = aspect
        self.reality = reality
        self.loop = loop
        self.report = report
        random = SplitMix64(seed: seed)
    }

    var pace: Pace = .off {
        didSet {
            guard pace != oldValue, pace != .off else { return }
            if aspect == .locale { look() } else { sample {} }
        }
    }

    /// Something changed; a kernel tells of it at once.
    func look() {
        if pace == .live { report(reality.reading(of: aspect)) }
    }

    func refresh(then completion: @escaping () -> Void) {
        readings += 1
        sample(completion)
    }

    /// A sample takes its time, and is of the end of that time.
    private func sample(_ completion: @escaping () -> Void) {
        weak var own: SimulatedLoop.Source?
        let timer = loop.timer(priority: .watcher) { [weak self] in
            guard let self else { return }
            samples.removeAll { $0 === own }
            report(reality.reading(of: aspect))
            completion()
        }
        own = timer
        timer.fire(after: .milliseconds(Int.random(in: 0...30, using: &random)))
        samples.append(timer)
    }

    var source: SourceDescription { .available("simulated") }

    func examine() -> Examination { Examination() }
}
