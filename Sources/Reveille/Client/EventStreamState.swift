// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleWire

/// The state of a subscription that survives its bus: it is opened again, by its positions, on a bus that comes back.
///
/// Pure. ``EventStream`` performs the actions.
struct EventStreamState {
    /// Something that has happened.
    enum Input {
        /// The owner wants the stream to be open.
        case open
        /// The bus has sent the first reply to Subscribe.
        case reply(SubscribeReply)
        /// The bus has sent events.
        case events([Event])
        /// The bus has answered with an error.
        case refused(ReveilleError)
        /// There is no connection, or it is no longer usable.
        case lost(ReveilleError)
        /// The owner wants the stream to be in the background, or no longer.
        case background(Bool)
        /// The bus has begun a background; the states of the ``droppable`` aspects, asked for after that.
        case backgroundBegan([Event])
        /// The bus has ended a background; the states of the ``dropping`` aspects, asked for before that.
        case backgroundEnded([Event])
        /// The owner no longer needs the stream. A background stays: the end does not deliver waiting events.
        case close
    }

    /// Something to do.
    enum Action: Equatable {
        /// Connect to the bus and subscribe.
        case subscribe(SubscriptionRequest)
        /// End the connection.
        case disconnect
        /// Notify the owner that the bus has accepted the subscription, which can happen repeatedly.
        case started
        /// Notify the owner that the stream has never started and never will.
        case failed(ReveilleError)
        /// Notify the owner that the stream must be opened again, and whether the lost connection was good: it held
        /// for some time, or brought events.
        case reportLoss(wasGood: Bool)
        /// Pass something on to the sink.
        case deliver(StreamOutput)
    }

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
    private var generations: [Aspect: Int] = [:]
    /// The aspects of the policy `drop` whose changes are discarded until the wake: they had no change waiting when the
    /// background began.
    private(set) var dropping: AspectSet = []

    /// Creates the state of a stream that is not open.
    init(_ request: SubscriptionRequest, patience: Patience) {
        self.request = request
        self.patience = patience
    }

    /// The subscription's name on the bus; `nil` while there is none.
    var name: String? {
        if case .open(let name, _, _) = phase { name } else { nil }
    }

    /// Whether the bus has not answered yet.
    var isAsking: Bool { phase == .asking }

    /// Whether the stream has been open and must be opened again.
    var isLost: Bool { phase == .closed && instance != nil }

    /// The aspects of the policy `drop`.
    var droppable: AspectSet {
        AspectSet(request.aspects.aspects.filter { request.policies[$0]?.background == .drop })
    }

    /// Takes an input, at a time in microseconds since boot, and returns what to do, in order.
    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        switch input {
        case .open:
            guard phase == .closed else { return [] }
            phase = .asking
            wasOpenedInBackground = isInBackground
            return [.subscribe(currentRequest)]
        case .reply(let reply): return start(reply, at: now)
        case .events(let events):
            guard case .open(let name, let since, _) = phase, !events.isEmpty else { return [] }
            phase = .open(name: name, since: since, hasBroughtEvents: true)
            note(events)
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
            dropping = AspectSet(states.filter { !isNewer($0) }.map(\.aspect))
            return []
        case .backgroundEnded(let states):
            dropping = []
            // Events that arrived meanwhile are newer than a state that was asked for before. A bus that comes back
            // later must not deliver what was dropped.
            let newer = states.filter(isNewer)
            note(newer)
            return newer.isEmpty ? [] : [.deliver(.skip(newer))]
        case .close:
            phase = .ended
            return [.disconnect]
        }
    }

    private var currentRequest: SubscriptionRequest {
        var request = request
        request.startsInBackground = isInBackground
        // Always wanted: what comes later is compared with the states.
        request.wantsInitial = true
        if let instance {
            request.instance = instance
            request.positions = generations
        }
        return request
    }

    private mutating func start(_ reply: SubscribeReply, at now: Int64) -> [Action] {
        guard phase == .asking else { return [] }
        let isFirst = instance == nil
        phase = .open(name: reply.subscription, since: now, hasBroughtEvents: false)
        instance = reply.instance
        note(reply.events)
        let dropped = !isFirst && wasOpenedInBackground ? dropping : []
        let events = reply.events.filter { !dropped.contains($0.aspect) }
        let skipped = reply.events.filter { dropped.contains($0.aspect) }
        dropping = wasOpenedInBackground ? droppable : []
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
        }
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

    private mutating func note(_ events: [Event]) {
        for event in events { generations[event.aspect] = event.generation }
    }

    private func isNewer(_ state: Event) -> Bool {
        state.generation > generations[state.aspect] ?? 0
    }
}
