// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

/// How a subscription survives its bus.
///
/// The request carries the positions seen so far, and the reply is compared with them. After a loss the subscription is
/// opened again. A bus that knows the positions sends the changes since; any other bus sends all
/// states.
///
/// Pure. ``EventStream`` performs the actions.
struct EventStreamState {
    private enum Phase: Equatable {
        case closed
        case describing
        case asking
        case open(name: String)
        case ended
    }

    typealias Plan = ([AspectInfo]) -> SubscriptionRequest

    private var request: SubscriptionRequest
    private let plan: Plan?
    private let isPersistent: Bool
    private var phase = Phase.closed
    private var isInBackground = false
    /// Whether the bus was last asked for the stream in the background.
    private(set) var wasOpenedInBackground = false
    /// The instance of the bus; `nil` before the first reply.
    private(set) var instance: String?
    private var positions: StreamPositions
    private let policies: PolicyTable
    let droppable: AspectSet
    /// The aspects whose changes are delivered in spite of the policy `drop`, because one was waiting when the background
    /// began; `nil` while nothing is dropped.
    private var waiting: AspectSet?

    /// Creates the state of a stream that is not open; a request with positions continues from there.
    ///
    /// The plan completes the request each time that it is sent, with policies that drop nothing. A persistent stream waits
    /// for a bus that was never there, and retries a bus that refuses the request or violates the protocol; others end.
    init(_ request: SubscriptionRequest, plan: Plan? = nil, isPersistent: Bool = false) {
        self.request = request
        self.plan = plan
        self.isPersistent = isPersistent
        let policies = PolicyTable(request.policies, of: request.aspects)
        positions = StreamPositions(request)
        self.policies = policies
        // A policy can also apply to a name that a pattern matches.
        let aspects = request.aspects.aspects + request.policies.keys.filter(request.aspects.covers)
        droppable = AspectSet(aspects.filter { policies[$0].background == .drop })
    }

    /// The subscription's name on the bus; `nil` while there is none.
    var name: String? {
        if case .open(let name) = phase { name } else { nil }
    }

    var isAsking: Bool { phase == .asking }

    /// Whether the stream has been open and must be opened again.
    var isLost: Bool { phase == .closed && instance != nil }

    /// The aspects, names and patterns whose changes are dropped until the wake.
    var dropping: AspectSet { waiting.map { droppable.subtracting($0) } ?? [] }

    /// The positions of the names that only patterns match, for ``DroppedStates``.
    var namePositions: [Aspect: Int] { positions.matched }

    /// The positions seen on the current bus; `nil` before the first reply.
    var seen: Positions? {
        instance.map {
            Positions(instance: $0, generations: positions.generations, domains: request.domains?.words)
        }
    }

    /// Returns the names that were withdrawn while there was no subscription, and that the bus does not know.
    func withdrawn(before reply: SubscribeReply) -> [Aspect] {
        reply.resumed == true ? positions.missing(since: positions.matched, in: reply.events) : []
    }

    /// Takes an input; returns what to do, in order.
    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .open: return phase == .closed ? open() : []
        case .openAgain: return phase == .ended ? [] : [.disconnect] + open()
        case .described(let sources):
            guard phase == .describing, let plan else { return [] }
            var planned = plan(sources)
            planned.instance = request.instance
            planned.positions = instance == nil ? request.positions : positions.generations
            request = planned
            positions = StreamPositions(planned)
            return ask()
        case .reply(let reply, let time): return start(reply, at: time)
        case .events(let events):
            guard case .open = phase, !events.isEmpty else { return [] }
            positions.note(events)
            return [.deliver(.events(events))]
        case .refused(let error):
            // Another program of the user may end and leave room.
            return isPersistent || error.code == .quotaExceeded ? lose(error) : end(error)
        case .lost(let error):
            // A bus that violates the protocol will do so again.
            return isPersistent || error.code != .invalidReply ? lose(error) : end(error)
        case .background(let isWanted):
            guard isWanted != isInBackground else { return [] }
            isInBackground = isWanted
            return [.deliver(.background(isWanted))]
        case .backgroundBegan(let states):
            // A newer state was waiting already, or changed in between: delivered rather than lost.
            let missing = positions.missing(since: positions.matched, in: states)
            let delivered = states.filter(positions.isNewer).map(\.aspect) + missing
            waiting = AspectSet(delivered.filter { policies[$0].background == .drop })
            return []
        case .backgroundEnded(let dropped):
            let missing = positions.withdrawals(
                since: dropped.names, in: dropped.states, changes: 0, at: dropped.time)
            // Events that arrived meanwhile are newer than a state that was requested before. A bus that comes back
            // later must not deliver dropped changes.
            let newer = (dropped.states.filter(positions.isNewer) + missing).filter { isDropped($0.aspect) }
            waiting = nil
            positions.note(newer)
            return newer.isEmpty ? [] : [.deliver(.skip(newer))]
        case .close:
            let isStarting = phase != .ended && instance == nil
            phase = .ended
            return [.disconnect] + (isStarting ? [.failed(.closed)] : [])
        }
    }

    private mutating func open() -> [Action] {
        guard plan != nil else { return ask() }
        phase = .describing
        return [.describe]
    }

    private mutating func ask() -> [Action] {
        phase = .asking
        wasOpenedInBackground = isInBackground
        var request = request
        request.startsInBackground = isInBackground
        // Always wanted: later events are compared with the states.
        request.wantsInitial = true
        if let instance { request.instance = instance }
        if instance != nil || request.positions != nil { request.positions = positions.fitting() }
        return [.subscribe(request)]
    }

    private func isDropped(_ aspect: Aspect) -> Bool {
        guard let waiting else { return false }
        return policies[aspect].background == .drop && !waiting.contains(aspect)
    }

    private mutating func start(_ reply: SubscribeReply, at time: Timestamp) -> [Action] {
        guard phase == .asking else { return [] }
        let isFirst = instance == nil
        phase = .open(name: reply.subscription)
        instance = reply.instance
        let all = positions.corrected(reply, at: time)
        let mayDrop = !isFirst && wasOpenedInBackground
        var skipped = mayDrop ? all.filter { isDropped($0.aspect) } : []
        let events = mayDrop ? all.filter { !isDropped($0.aspect) } : all
        waiting = wasOpenedInBackground ? [] : nil
        var actions: [Action] = []
        if isFirst && request.wantsInitial {
            actions = [.deliver(.start([], instance: reply.instance)), .deliver(.answer(events))]
        } else if reply.resumed == false {
            actions = [.deliver(.restart(events, instance: reply.instance))]
        } else {
            let changes = events.filter { $0.changeCount > 0 }
            let states = events.filter { $0.changeCount == 0 }
            if isFirst { actions.append(.deliver(.start(states, instance: reply.instance))) }
            if !changes.isEmpty { actions.append(.deliver(.events(changes))) }
            if !isFirst {
                // The lifecycle of another subscription has no positions: it is delivered if it differs.
                let own = states.filter { $0.lifecycle != nil }
                if !own.isEmpty { actions.append(.deliver(.restart(own, instance: reply.instance))) }
                skipped += states.filter { $0.lifecycle == nil && positions.isNewer($0) }
            }
        }
        positions.note(all)
        if !skipped.isEmpty { actions.append(.deliver(.skip(skipped))) }
        return actions + [.started]
    }

    private mutating func lose(_ error: ReveilleError) -> [Action] {
        guard phase != .closed, phase != .ended else { return [] }
        guard instance != nil || isPersistent else { return end(error) }
        phase = .closed
        return [.disconnect, .retry(error)]
    }

    private mutating func end(_ error: ReveilleError) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        return [.disconnect, instance == nil ? .failed(error) : .deliver(.end(error))]
    }
}
