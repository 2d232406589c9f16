// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleWire
import Varlink

/// A client that subscribes, reads in pieces or not at all, disconnects, resumes from its positions, and checks every
/// event that it receives.
package final class SimulatedClient {
    package let name: String
    /// Whether other users may post readings and hold the client, so that readings may be false and holds may end.
    package let isDisturbed: Bool
    private var peer: SimulatedPeer?
    package private(set) var stream: SimulatedStream?
    /// The ID of the subscription, or `nil` until the bus has replied.
    package private(set) var subscription: String?
    private var instance: String?
    private let aspects: AspectSet
    /// The domains of the settings; `nil` for all.
    package let domains: DomainSelection?
    private let policies: [Aspect: Policy]
    private let table: PolicyTable
    private var generations: [Aspect: Int] = [:]
    package private(set) var numbers: [Aspect: Int] = [:]
    private var names: NameView
    /// The times of the last events of this subscription.
    private var lastEvents: [Aspect: UInt64] = [:]
    /// The reasons why the subscription is held.
    package var holds: HoldReasons = []
    /// Whether the client is held and has read everything sent before the hold.
    package var isAtRest = false

    /// Creates a client that will subscribe to names and patterns, besides the aspects of the reality.
    ///
    /// It may keep the positions of withdrawn names that only a pattern matches.
    package init(
        _ name: String, isDisturbed: Bool = false, names aspects: AspectSet = [], policies: [Aspect: Policy] = [:],
        domains: DomainSelection? = nil, ledger: NameLedger = NameLedger(), keepsWithdrawn: Bool = false
    ) {
        self.domains = domains
        self.name = name
        self.isDisturbed = isDisturbed
        self.aspects = aspects.union(AspectSet(Reality.aspects.map { Aspect($0) }))
        self.policies = policies
        table = PolicyTable(policies, of: self.aspects)
        names = NameView(ledger, aspects, table, keepsWithdrawn: keepsWithdrawn)
    }

    /// Whether the client has a connection, as far as it knows.
    package var isConnected: Bool { peer != nil }

    /// Subscribes, and resumes if there was an earlier subscription.
    package func connect(_ stream: SimulatedStream, isBackground: Bool) {
        let peer = SimulatedPeer(stream)
        self.peer = peer
        self.stream = stream
        subscription = nil
        isAtRest = false
        holds = isBackground ? .app : []
        lastEvents = [:]
        names.request()
        let positions = generations.merging(names.positions) { $1 }
        let request = SubscriptionRequest(
            aspects: aspects, domains: domains, startsInBackground: isBackground, wantsInitial: true,
            instance: instance,
            positions: instance == nil ? nil : positions, policies: policies)
        peer.send(Call(Subscribe(request)).encoded())
    }

    /// Closes the connection, as when the client dies.
    package func disconnect() {
        peer?.close()
        peer = nil
    }

    /// Handles the end of the bus; a bus that was stopped has sent everything that was due.
    package func busDied() throws(Broken) {
        try take(.max, busHasEnded: true)
        peer = nil
    }

    package func read(_ most: Int) throws(Broken) {
        try take(most)
        if let peer, peer.isClosed, !peer.hasUnread { throw Broken("\(name): the bus closed its connection") }
    }

    private func take(_ most: Int, busHasEnded: Bool = false) throws(Broken) {
        for answer in try peer?.read(most, busHasEnded: busHasEnded) ?? [] {
            guard answer.reply.error == nil, answer.reply.continues else { throw Broken("\(name): \(answer.reply)") }
            guard subscription != nil else {
                try begin(answer.reply.parameters.decoded())
                continue
            }
            let events: [Event] = try answer.reply.parameters.decoded()
            if isAtRest, !isDisturbed { throw Broken("\(name) is held but received \(events)") }
            if events.isEmpty { throw Broken("\(name): a reply without an event") }
            try takeChanges(events, at: busHasEnded ? nil : answer.arrival)
        }
    }

    private func begin(_ reply: SubscribeReply) throws(Broken) {
        subscription = reply.subscription
        isAtRest = !holds.isEmpty
        let isResumed = reply.resumed == true
        if let instance, isResumed != (instance == reply.instance) {
            throw Broken("\(name) resumed from instance \(instance), \(reply.instance) replied resumed \(isResumed)")
        }
        instance = reply.instance
        try checkOrder(reply.events)
        try check(reply.events) { view, events throws(Broken) in try view.begin(events, isResumed: isResumed) }
        let own = reply.events.filter { !$0.aspect.isPublished }
        guard own.count == Reality.aspects.count, isResumed || own.allSatisfy({ $0.changeCount == 0 }) else {
            throw Broken("\(name): unexpected initial state \(reply.events)")
        }
        for event in own { try isResumed ? takeChange(event, isFirst: true) : note(event) }
    }

    /// Takes the events of a reply.
    ///
    /// The time of arrival is unknown if the bus stops, which does not wait for the peer to read.
    private func takeChanges(_ events: [Event], at time: UInt64?) throws(Broken) {
        try checkOrder(events)
        for event in events {
            if let time { try checkInterval(before: event, at: time) }
            if !event.aspect.isPublished { try takeChange(event, isFirst: false) }
        }
        try check(events) { view, events throws(Broken) in for event in events { try view.take(event) } }
    }

    private func checkInterval(before event: Event, at time: UInt64) throws(Broken) {
        let last = lastEvents.updateValue(time, forKey: event.aspect)
        guard let last, let interval = table[event.aspect].interval, .microseconds(time - last) < interval else {
            return
        }
        throw Broken("\(name) received \(event) \(time - last) µs after the last one, sooner than \(interval)")
    }

    /// Passes events to the checks of names, unless other users may publish the names.
    private func check(
        _ events: [Event], _ take: (inout NameView, [Event]) throws(Broken) -> Void
    ) throws(Broken) {
        guard !isDisturbed else { return }
        do throws(Broken) {
            try take(&names, events.filter(\.aspect.isPublished))
        } catch {
            throw Broken("\(name): \(error)")
        }
    }

    private func checkOrder(_ events: [Event]) throws(Broken) {
        let sequences = events.map(\.sequence)
        guard sequences == sequences.sorted() else { throw Broken("\(name): out of order, \(events)") }
        guard Set(events.map(\.aspect)).count == events.count else { throw Broken("\(name): twice in \(events)") }
    }

    private func takeChange(_ event: Event, isFirst: Bool) throws(Broken) {
        let before = generations[event.aspect] ?? 0
        guard event.generation == before + event.changeCount, event.changeCount > 0 || isFirst && event.changeCount == 0
        else {
            throw Broken("\(name) was at \(before) and received \(event)")
        }
        let last = numbers[event.aspect]
        try note(event)
        // At most one change for each state in between, and none without a new state.
        guard !isDisturbed else { return }
        guard let last, let now = numbers[event.aspect], event.changeCount <= now - last,
            (event.changeCount == 0) == (now == last)
        else { throw Broken("\(name) knew \(numbers) and received \(event)") }
    }

    private func note(_ event: Event) throws(Broken) {
        let number = Reality.number(in: event.reading)
        guard isDisturbed || number ?? -1 >= numbers[event.aspect] ?? 0 else {
            throw Broken("\(name) knew number \(numbers[event.aspect] ?? 0) and received \(event)")
        }
        numbers[event.aspect] = number
        generations[event.aspect] = event.generation
    }

    // MARK: - Rest

    /// Checks that the client, which is awake and has read everything, has the last state of each name; the loop's
    /// timers are late by `lateness` at most.
    package func checkNames(at now: UInt64, lateness: Duration = .zero) throws(Broken) {
        guard !isDisturbed, subscription != nil else { return }
        do throws(Broken) {
            try names.check { isWaiting($0, at: now, lateness: lateness) }
        } catch {
            throw Broken("\(name) at \(now): \(error)")
        }
    }

    /// Returns whether an event of an aspect has to wait for its interval.
    package func isWaiting(_ aspect: Aspect, at now: UInt64, lateness: Duration = .zero) -> Bool {
        guard let last = lastEvents[aspect], let interval = table[aspect].interval else { return false }
        return .microseconds(now - last) < interval + lateness
    }
}
