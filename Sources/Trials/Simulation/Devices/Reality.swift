// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem
package import ReveilleWatchers

/// The true state of the devices, independent of any bus, as a number for each aspect that only increases.
package final class Reality {
    /// The simulated aspects: two always watched, one watched on demand.
    package static let aspects: [BuiltInAspect] = [.locale, .battery, .defaults]
    /// The domains of the settings; each change of the settings changes the other one.
    private static let domains = ["other", "app/a"]
    package private(set) var number = AspectTable<Int>(repeating: 0)
    package private(set) var isBatteryGone = false

    package init() {}

    package func change(_ aspect: BuiltInAspect) {
        number[aspect] += 1
    }

    /// Removes the battery, or inserts it again.
    package func moveBattery() {
        isBatteryGone.toggle()
        change(.battery)
    }

    /// Returns the state of an aspect; a removed battery keeps its number in the name of a pack.
    package func reading(of aspect: BuiltInAspect) -> Reading {
        if aspect == .defaults { return .defaults(settings) }
        let name = "n\(number[aspect])"
        guard aspect == .locale else {
            let level = isBatteryGone ? nil : Double(number[aspect]) / 1_000_000
            return .battery(
                Battery(
                    state: isBatteryGone ? .unknown : .unplugged, level: level, isPlugged: isBatteryGone ? nil : false,
                    chargeStatus: isBatteryGone ? .unknown : .discharging,
                    packs: [Battery.Pack(name: name, level: level, chargeStatus: .discharging)],
                    supply: isBatteryGone ? nil : .usb))
        }
        return .locale(
            LocaleSettings(
                identifier: name, languages: [], numeric: name, time: name, monetary: name, measurement: name))
    }

    /// Each domain has a key named after the number of its last change.
    private var settings: Defaults {
        Defaults(
            domains: Self.domains.enumerated().map { parity, name in
                let last = max(0, number[.defaults] - (number[.defaults] + parity) % 2)
                return Defaults.Domain(name: name, path: "/" + name, values: ["n\(last)": 1], isOpaque: false)
            })
    }

    /// Returns the number that a client at rest has seen: of its domains, if it has chosen `app/*`.
    package func number(of aspect: BuiltInAspect, for domains: DomainSelection?) -> Int {
        guard aspect == .defaults, domains != nil else { return number[aspect] }
        return max(0, number[aspect] - (number[aspect] + 1) % 2)
    }

    /// Returns the number in a state; `nil` for a posted state without one.
    static func number(in reading: Reading) -> Int? {
        switch reading {
        case .locale(let locale): Int(locale.identifier.dropFirst())
        case .battery(let battery): battery.packs.first.flatMap { Int($0.name.dropFirst()) }
        // Keys that are gone have lower numbers.
        case .defaults(let settings): settings.domains.flatMap(\.keys).compactMap { Int($0.dropFirst()) }.max()
        default: nil
        }
    }
}

/// A watcher of one aspect of the reality: the battery on demand, the others always.
package final class SimulatedWatcher: Watcher {
    package let aspect: BuiltInAspect
    private let reality: Reality
    private let loop: SimulatedLoop
    private let report: (Reading) -> Void
    private var random: SplitMix64
    private var samples: [SimulatedLoop.Source] = []
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

    /// The samples that have not ended yet, each with an event source.
    var samplesUnderWay: Int { samples.count }

    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue, pace != .off else { return }
            if aspect == .battery { sample {} } else { look() }
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

/// A watcher of motion whose samples are all equal.
package final class SimulatedMotion: StreamWatcher {
    /// The sample, except for its time.
    package static let acceleration = Motion.Vector(x: 0, y: -1, z: 0)

    package let aspect = BuiltInAspect.motion
    private let loop: SimulatedLoop
    private let report: (Reading) -> Void
    private var timer: SimulatedLoop.Source?
    package private(set) var samples = 0

    init(loop: SimulatedLoop, report: @escaping (Reading) -> Void) {
        self.loop = loop
        self.report = report
        timer = loop.makeTimer(priority: .watcher) { [weak self] in self?.sample() }
    }

    package var interval: Duration = SampleInterval.usual {
        didSet { if pace == .live, interval != oldValue { timer?.fire(after: interval) } }
    }

    package var pace: Pace = .off {
        didSet {
            guard pace != oldValue else { return }
            if pace == .live { timer?.fire(after: interval) } else { timer?.disarm() }
        }
    }

    private func sample() {
        timer?.fire(after: interval)
        take()
    }

    private func take() {
        samples += 1
        let time = Timestamp(microseconds: loop.wallClock)
        report(.motion(Motion(acceleration: Self.acceleration, rotation: nil, takenAt: time)))
    }

    package func refresh(then completion: @escaping () -> Void) {
        take()
        completion()
    }

    package var source: SourceDescription { .available("simulated") }

    package func examine() -> Examination { Examination() }
}
