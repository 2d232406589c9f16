// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem
import ReveilleWatchers

/// The five watchers, and how closely each has to watch.
///
/// Locale and settings are always watched: files tell of themselves, and who reconnects by position wants
/// every change counted. Battery and sensors are watched on demand: in full while somebody is awake,
/// sparsely while all are held, and not at all once the last has been gone for ``linger``.
final class WatcherPool {
    /// How long a sensor goes on after its last subscriber left, for those who come right back.
    static let linger: Duration = .seconds(5)

    private static let onDemand: [Aspect] = [.battery, .proximity, .orientation]

    private let loop: any Loop
    private var watchers: [Aspect: any Watcher]
    /// Watchers of before, whose readers may still be reading.
    private var retired: [Int: (watchers: [any Watcher], end: any LoopSource)] = [:]
    private var lastRetirement = 0
    private var uses = AspectTable<Int>(repeating: 0)
    private var lingering = AspectTable<(any LoopSource)?>(repeating: nil)
    private var samplings = AspectTable<SharedSampling?>(repeating: nil)

    init(loop: any Loop, watchers: [any Watcher]) throws(SystemError) {
        self.loop = loop
        self.watchers = Self.byAspect(watchers)
        for watcher in watchers { samplings[watcher.aspect] = try SharedSampling(of: watcher, loop: loop) }
    }

    private static func byAspect(_ watchers: [any Watcher]) -> [Aspect: any Watcher] {
        Dictionary(watchers.map { ($0.aspect, $0) }, uniquingKeysWith: { $1 })
    }

    /// Goes on with other watchers, each at the pace of the one before.
    ///
    /// Those before are to report nothing any more. Who waits for a sample gets one of the new watchers.
    func replaceWatchers(_ next: [any Watcher]) throws(SystemError) {
        lastRetirement += 1
        let end = try loop.timer { [weak self, number = lastRetirement] in self?.retired[number] = nil }
        let before = watchers
        watchers = Self.byAspect(next)
        retired[lastRetirement] = (Array(before.values), end)
        for watcher in before.values {
            let pace = watcher.pace
            watcher.pace = .off
            guard let successor = watchers[watcher.aspect] else { continue }
            successor.pace = pace
            samplings[watcher.aspect]?.replaceWatcher(by: successor)
        }
        // Longer than any of their readers waits for a sensor.
        end.fire(after: Pace.sampleTimeout * 2)
    }

    /// Starts what is always watched.
    func start() {
        for aspect in Aspect.allCases where !Self.onDemand.contains(aspect) { setPace(.live, of: aspect) }
    }

    /// Stops everything.
    func stop() {
        for watcher in watchers.values { watcher.pace = .off }
    }

    /// Notes that somebody wants these aspects, and watches them in full.
    func begin(_ aspects: AspectSet) {
        for aspect in aspects.aspects { uses[aspect] += 1 }
    }

    /// Notes that one who wanted these aspects is gone.
    func end(_ aspects: AspectSet) {
        for aspect in aspects.aspects { uses[aspect] -= 1 }
    }

    /// Brings each watcher to the pace that its subscribers need.
    func adjust(to bus: Bus) throws(SystemError) {
        for aspect in Self.onDemand {
            if uses[aspect] == 0 {
                try lingerThenStop(aspect)
            } else {
                lingering[aspect] = nil
                setPace(bus.hasForegroundSubscriber(aspect) ? .live : .idle, of: aspect)
            }
        }
    }

    private func lingerThenStop(_ aspect: Aspect) throws(SystemError) {
        guard let watcher = watchers[aspect], watcher.pace != .off, lingering[aspect] == nil else { return }
        setPace(.idle, of: aspect)
        let timer = try loop.timer { [weak self] in
            self?.lingering[aspect] = nil
            self?.setPace(.off, of: aspect)
        }
        timer.fire(after: Self.linger)
        lingering[aspect] = timer
    }

    private func setPace(_ pace: Pace, of aspect: Aspect) {
        guard let watcher = watchers[aspect], watcher.pace != pace else { return }
        watcher.pace = pace
    }

    /// Calls back once a fresh sample of each aspect is there that is not watched in full already.
    ///
    /// - Parameters:
    ///   - aspects: What somebody who wakes, comes or asks is about to be told.
    ///   - isStaying: Whether that one is told of changes from then on.
    ///   - completion: Called at once where there is nothing to wait for, else within
    ///     ``Pace/sampleTimeout``.
    func freshen(_ aspects: AspectSet, isStaying: Bool, then completion: @escaping () -> Void) {
        let barrier = Barrier(completion)
        for aspect in Self.onDemand where aspects.contains(aspect) {
            guard let watcher = watchers[aspect], let sampling = samplings[aspect],
                watcher.pace != .live || sampling.isUnderWay
            else { continue }
            sampling.ask(then: barrier.enter())
            if isStaying {
                lingering[aspect] = nil
                setPace(.live, of: aspect)
            }
        }
        barrier.seal()
    }

    /// Reads every source again, and calls back when all have been read.
    ///
    /// - Parameters:
    ///   - monitoredOnly: Leaves those alone that nobody listens to.
    ///   - completion: Called once, within twice ``Pace/sampleTimeout``.
    func refreshAll(monitoredOnly: Bool = false, then completion: @escaping () -> Void) {
        let barrier = Barrier(completion)
        for aspect in Aspect.allCases {
            guard let watcher = watchers[aspect], !monitoredOnly || watcher.pace != .off else { continue }
            samplings[aspect]?.ask(then: barrier.enter())
        }
        barrier.seal()
    }

    func isMonitored(_ aspect: Aspect) -> Bool {
        watchers[aspect].map { $0.pace != .off } ?? false
    }

    func source(of aspect: Aspect) -> SourceDescription {
        watchers[aspect]?.source ?? .unavailable("this bus does not watch it")
    }
}

/// Calls back once everything that was begun has ended.
private final class Barrier {
    private var open = 1
    private let completion: () -> Void

    init(_ completion: @escaping () -> Void) {
        self.completion = completion
    }

    /// Begins something; what it returns ends it, and is to be called once.
    func enter() -> () -> Void {
        open += 1
        return { self.leave() }
    }

    /// Says that nothing more begins.
    func seal() {
        leave()
    }

    private func leave() {
        open -= 1
        if open == 0 { completion() }
    }
}
