// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire

/// The watchers of all aspects, and the pace of each.
///
/// ``AspectTraits/Sampling`` determines when an aspect is watched. On demand means closely while a subscriber is in the
/// foreground, sparsely while all subscribers are held, and not at all once the last subscriber has been gone for
/// ``linger``. Tallies and streams are not watched at all unless a subscriber is in the foreground.
final class WatcherPool {
    /// How long a sensor is watched after its last subscriber left, for clients that come right back.
    static let linger: Duration = .seconds(5)

    /// The most times that wait for the log: those of a few seconds in which many programs come and go.
    private static let mostTimes = 256

    private static let onDemand = BuiltInAspect.allCases.filter { $0.sampling == .onDemand }

    private let loop: any Loop
    let shares: UserShares
    private var samplings = AspectTable<SharedSampling?>(repeating: nil)
    private var uses = AspectTable<Int>(repeating: 0)
    private(set) var losses = AspectTable<Int>(repeating: 0)
    private var lingering = AspectTable<(any LoopSource)?>(repeating: nil)
    /// The demand to which each pace was last set; `nil` after it was set otherwise.
    private var adjusted = AspectTable<WatcherDemand??>(repeating: nil)
    /// The aspects that are watched without subscribers too, at the pace of those that are held.
    var kept = AspectSet()
    /// The starts and ends of watching, for the log.
    private var times: [LogLine] = []
    /// The timers that keep replaced watchers.
    private var retirements: [any LoopSource] = []

    init(loop: any Loop, shares: UserShares) {
        self.loop = loop
        self.shares = shares
    }

    /// Starts watchers in place of the current ones.
    ///
    /// Each new watcher takes over the pace and the waiting callers of its predecessor, which must not report anything
    /// more. After an error, the current watchers continue.
    func install(_ watchers: [any Watcher]) throws(SystemError) {
        adjusted = AspectTable(repeating: nil)
        try retireLater(BuiltInAspect.allCases.compactMap { samplings[$0]?.watcher })
        for watcher in watchers {
            if let sampling = samplings[watcher.aspect] {
                sampling.replaceWatcher(by: watcher)
            } else {
                samplings[watcher.aspect] = try SharedSampling(of: watcher, loop: loop, shares: shares)
                if !Self.onDemand.contains(watcher.aspect) { watcher.pace = .live }
            }
        }
    }

    /// Keeps replaced watchers until their readers have returned, since releasing a watcher waits for its reader.
    private func retireLater(_ watchers: [any Watcher]) throws(SystemError) {
        guard !watchers.isEmpty else { return }
        weak var retirement: (any LoopSource)?
        let end = try loop.timer { [weak self] in
            withExtendedLifetime(watchers) { self?.retirements.removeAll { $0 === retirement } }
        }
        retirement = end
        // Longer than any reader waits for a sensor.
        end.fire(after: Pace.sampleTimeout * 2)
        retirements.append(end)
    }

    func stop() {
        for aspect in BuiltInAspect.allCases { setPace(.off, of: aspect) }
    }

    /// Counts a subscriber of the aspects.
    func begin(_ aspects: AspectSet) {
        for aspect in aspects.builtIn { uses[aspect] += 1 }
    }

    /// Counts the end of a subscriber of the aspects.
    func end(_ aspects: AspectSet) {
        for aspect in aspects.builtIn { uses[aspect] -= 1 }
    }

    /// Sets the paces that differ from the demand for their aspects.
    ///
    /// `demand` must not access the bus: a watcher may report a reading to the bus before this returns.
    func adjust(for demand: (BuiltInAspect) -> WatcherDemand) throws(SystemError) {
        for aspect in Self.onDemand {
            let demand = uses[aspect] > 0 || kept.contains(aspect) ? demand(aspect) : nil
            // Most holds, wakes and ends leave others in the same state.
            guard adjusted[aspect] != .some(demand) else { continue }
            if aspect.kind != .state {
                // A stream that stops does not change its interval first.
                if demand?.isInForeground != true { setPace(.off, of: aspect) }
                (samplings[aspect]?.watcher as? any StreamWatcher)?.interval = demand?.interval ?? SampleInterval.usual
                if demand?.isInForeground == true { setPace(.live, of: aspect) }
            } else if let demand {
                lingering[aspect] = nil
                setPace(demand.isInForeground ? .live : .idle, of: aspect)
            } else {
                try lingerThenStop(aspect)
            }
            adjusted[aspect] = .some(demand)
        }
    }

    private func lingerThenStop(_ aspect: BuiltInAspect) throws(SystemError) {
        guard isMonitored(aspect), lingering[aspect] == nil else { return }
        setPace(.idle, of: aspect)
        let timer = try loop.timer(
            handler: weakly(self) {
                $0.lingering[aspect] = nil
                $0.setPace(.off, of: aspect)
            })
        timer.fire(after: Self.linger)
        lingering[aspect] = timer
    }

    private func setPace(_ pace: Pace, of aspect: BuiltInAspect) {
        guard let watcher = samplings[aspect]?.watcher, watcher.pace != pace else { return }
        if aspect.isWatchedOnDemand, (watcher.pace == .off) != (pace == .off) { note(aspect, isWatched: pace != .off) }
        watcher.pace = pace
    }

    /// Notes for the log that watching an aspect, or the bus itself, has started or ended.
    func note(_ aspect: BuiltInAspect?, isWatched: Bool) {
        if times.count == Self.mostTimes { times.removeFirst(Self.mostTimes / 2) }
        let now = Timestamp(microseconds: loop.wallClock)
        times.append(.watching(aspect.map { Aspect($0) }, isWatched, since: now))
    }

    func takeTimes() -> [LogLine] {
        defer { times = [] }
        return times
    }

    /// Takes a fresh sample of each aspect that is not watched closely already, or whose watcher may lag.
    ///
    /// If `isStaying`, changes are delivered from then on. An answer must be the newest state, and so must an aspect that
    /// is always watched. The user, `nil` for the bus itself, is charged. The completion is called later, within
    /// ``Pace/sampleTimeout``.
    ///
    /// - Returns: Whether a sample is needed; otherwise, the completion is not called.
    func freshen(
        _ aspects: AspectSet, isStaying: Bool, isAnswer: Bool = false, for user: UInt32? = nil,
        then completion: @escaping () -> Void
    ) -> Bool {
        let barrier = Barrier(completion)
        for aspect in aspects.builtIn {
            guard let sampling = samplings[aspect] else { continue }
            let isOnDemand = aspect.sampling == .onDemand
            let isLive = sampling.watcher.pace == .live || !isOnDemand
            let isUnderWay = sampling.isUnderWay && isOnDemand
            guard !isLive || isUnderWay || (isAnswer || !isOnDemand) && sampling.watcher.mayLag else { continue }
            // While devices are watched, their events lead to searches.
            sampling.ask(isSearching: sampling.watcher.pace == .off, for: user, then: barrier.enter())
            if isStaying, isOnDemand {
                adjusted[aspect] = nil
                lingering[aspect] = nil
                setPace(.live, of: aspect)
            }
        }
        return barrier.close()
    }

    /// Reads every source again, except for streams that are not watched.
    ///
    /// The user, `nil` for the bus itself, is charged. The completion is called once, within twice ``Pace/sampleTimeout``.
    func refreshAll(monitoredOnly: Bool = false, for user: UInt32? = nil, then completion: @escaping () -> Void) {
        let barrier = Barrier(completion)
        for aspect in BuiltInAspect.allCases {
            // Of a stream, every question gets a fresh sample.
            let isSkipped = (monitoredOnly || aspect.kind == .stream) && !isMonitored(aspect)
            guard let sampling = samplings[aspect], !isSkipped else { continue }
            sampling.ask(for: user, then: barrier.enter())
        }
        if !barrier.close() { completion() }
    }

    func clockChanged() {
        for aspect in BuiltInAspect.allCases { samplings[aspect]?.watcher.clockChanged() }
    }

    func noteLoss(of aspect: BuiltInAspect) -> Int {
        losses[aspect] += 1
        return losses[aspect]
    }

    func isMonitored(_ aspect: BuiltInAspect) -> Bool {
        samplings[aspect].map { $0.watcher.pace != .off } ?? false
    }

    func source(of aspect: BuiltInAspect) -> SourceDescription {
        samplings[aspect]?.watcher.source ?? .unavailable("this bus does not watch it")
    }
}

/// The demand of an aspect's subscribers on its watcher.
struct WatcherDemand: Equatable {
    /// Whether a subscriber is in the foreground, or ignores the background.
    let isInForeground: Bool
    /// The shortest interval between samples that such subscribers want from a stream; `nil` for other aspects.
    let interval: Duration?
}

/// Calls back once all operations have ended that began before it was closed.
final class Barrier {
    private var open = 0
    private var isClosed = false
    private let completion: () -> Void

    init(_ completion: @escaping () -> Void) {
        self.completion = completion
    }

    /// Begins an operation; calling the returned function, once, ends it.
    func enter() -> () -> Void {
        open += 1
        return leave
    }

    private func leave() {
        open -= 1
        if open == 0, isClosed { completion() }
    }

    /// Returns whether an operation is under way; otherwise, the completion is not called.
    func close() -> Bool {
        isClosed = true
        return open > 0
    }
}
