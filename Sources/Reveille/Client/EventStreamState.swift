// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWire

/// The state of a subscription that survives its bus: it is opened again, by its positions, on a bus that comes back.
///
/// Pure. ``EventStream`` performs the actions.
struct EventStreamState {
    private enum Phase: Equatable {
        case closed
        /// The bus has not answered yet.
        case asking
        case open(name: String, since: Int64, hasBroughtEvents: Bool)
        /// It is not opened again.
        case ended
    }

    private let request: SubscriptionRequest
    private let patience: Patience
    private var phase = Phase.closed
    private var isInBackground = false
    /// Whether the bus was last asked for the stream in the background.
    private(set) var wasOpenedInBackground = false
    /// The instance of the bus; `nil` before the first reply.
    private(set) var instance: String?
    private var positions: StreamPositions
    private let policies: PolicyTable
    /// The aspects, names and patterns with the policy `drop`.
    let droppable: AspectSet
    /// The aspects whose changes are delivered in spite of the policy `drop`, because one was waiting when the background
    /// began; `nil` while nothing is dropped.
    private var waiting: AspectSet?

    /// Creates the state of a stream that is not open.
    init(_ request: SubscriptionRequest, patience: Patience) {
        self.request = request
        self.patience = patience
        let policies = PolicyTable(request.policies, of: request.aspects)
        positions = StreamPositions(request)
        self.policies = policies
        // A policy can also be that of a name that a pattern matches.
        let aspects = request.aspects.aspects + request.policies.keys.filter(request.aspects.covers)
        droppable = AspectSet(aspects.filter { policies[$0].background == .drop })
    }

    /// The subscription's name on the bus; `nil` while there is none.
    var name: String? {
        if case .open(let name, _, _) = phase { name } else { nil }
    }

    /// Whether the bus has not answered yet.
    var isAsking: Bool { phase == .asking }

    /// Whether the stream has been open and must be opened again.
    var isLost: Bool { phase == .closed && instance != nil }

    /// The aspects, names and patterns of which changes are dropped until the wake.
    var dropping: AspectSet { waiting.map { droppable.subtracting($0) } ?? [] }

    /// The positions of the names that only patterns match, for ``DroppedStates``.
    var namePositions: [Aspect: Int] { positions.matched }

    /// Takes an input, at a time in microseconds since boot, and returns what to do, in order.
    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        switch input {
        case .open:
            guard phase == .closed else { return [] }
            phase = .asking
            wasOpenedInBackground = isInBackground
            return [.subscribe(nextRequest())]
        case .reply(let reply, let time): return start(reply, at: now, time)
        case .events(let events):
            guard case .open(let name, let since, _) = phase, !events.isEmpty else { return [] }
            phase = .open(name: name, since: since, hasBroughtEvents: true)
            positions.note(events)
            return [.deliver(.events(events))]
        // Another program of the user may end and leave room.
        case .refused(let error): return error.code == .quotaExceeded ? lose(error, at: now) : end(error)
        // A bus that violates the protocol will do so again.
        case .lost(let error): return error.code == .invalidReply ? end(error) : lose(error, at: now)
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
            // later must not deliver what was dropped.
            let newer = (dropped.states.filter(positions.isNewer) + missing).filter { isDropped($0.aspect) }
            waiting = nil
            positions.note(newer)
            return newer.isEmpty ? [] : [.deliver(.skip(newer))]
        case .close:
            phase = .ended
            return [.disconnect]
        }
    }

    private mutating func nextRequest() -> SubscriptionRequest {
        var request = request
        request.startsInBackground = isInBackground
        // Always wanted: what comes later is compared with the states.
        request.wantsInitial = true
        if let instance { request.instance = instance }
        if instance != nil || request.positions != nil { request.positions = positions.fitting() }
        return request
    }

    private func isDropped(_ aspect: Aspect) -> Bool {
        guard let waiting else { return false }
        return policies[aspect].background == .drop && !waiting.contains(aspect)
    }

    private mutating func start(_ reply: SubscribeReply, at now: Int64, _ time: Timestamp) -> [Action] {
        guard phase == .asking else { return [] }
        let isFirst = instance == nil
        phase = .open(name: reply.subscription, since: now, hasBroughtEvents: false)
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
            let changes = events.filter { $0.changes > 0 }
            let states = events.filter { $0.changes == 0 }
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

    private mutating func lose(_ error: ReveilleError, at now: Int64) -> [Action] {
        guard phase != .ended else { return [] }
        var wasGood = false
        if case .open(_, let since, let hasBroughtEvents) = phase {
            wasGood = hasBroughtEvents || patience.isSteady(since: since, at: now)
        }
        guard instance != nil else { return end(error) }
        phase = .closed
        return [.disconnect, .reportLoss(wasGood: wasGood)]
    }

    private mutating func end(_ error: ReveilleError) -> [Action] {
        guard phase != .ended else { return [] }
        phase = .ended
        return [.disconnect, instance == nil ? .failed(error) : .deliver(.end(error))]
    }
}
