// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
import ReveilleWire
import Varlink

/// A client that subscribes, reads in pieces or not at all, disconnects, resumes from its positions, and checks every
/// event that it receives.
package final class SimulatedClient {
    /// The name, for messages.
    package let name: String
    /// Whether other users may post readings and hold the client, so that readings may be false and holds may end.
    package let isDisturbed: Bool
    private var peer: SimulatedPeer?
    /// The ID of the subscription, or `nil` until the bus has replied.
    package private(set) var subscription: String?
    private var instance: String?
    private var generations: [Aspect: Int] = [:]
    /// The number of the last received state by aspect.
    package private(set) var numbers: [Aspect: Int] = [:]
    /// Whether the client is held and has read everything sent before the hold.
    package var isAtRest = false

    /// Creates a client that has not connected.
    package init(_ name: String, isDisturbed: Bool = false) {
        self.name = name
        self.isDisturbed = isDisturbed
    }

    /// Whether the client has a connection, as far as it knows.
    package var isConnected: Bool { peer != nil }

    /// Subscribes, and resumes if there was an earlier subscription.
    package func connect(_ stream: SimulatedStream, isBackground: Bool) {
        let peer = SimulatedPeer(stream)
        self.peer = peer
        subscription = nil
        isAtRest = false
        let request = SubscriptionRequest(
            aspects: AspectSet(Reality.aspects.map { Aspect($0) }), startsInBackground: isBackground,
            wantsInitial: true,
            instance: instance, positions: instance == nil ? nil : generations)
        peer.send(Call(.subscribe(request)).encoded())
    }

    /// Closes the connection, as when the client dies.
    package func disconnect() {
        peer?.close()
        peer = nil
    }

    /// Handles the end of the bus, which has sent everything that is due if it was stopped.
    package func busDied() throws(Broken) {
        try take(.max, busHasEnded: true)
        peer = nil
    }

    /// Reads available bytes.
    package func read(_ most: Int) throws(Broken) {
        try take(most)
        if let peer, peer.isClosed, !peer.hasUnread { throw Broken("\(name): the bus closed its connection") }
    }

    private func take(_ most: Int, busHasEnded: Bool = false) throws(Broken) {
        for answer in try peer?.read(most, busHasEnded: busHasEnded) ?? [] {
            guard answer.reply.error == nil, answer.reply.continues else { throw Broken("\(name): \(answer.reply)") }
            guard subscription != nil else {
                try begin(decoded(SubscribeReply.self, answer.reply))
                continue
            }
            let events = try decoded([Event].self, answer.reply)
            if isAtRest, !isDisturbed { throw Broken("\(name) is held but received \(events)") }
            if events.isEmpty { throw Broken("\(name): a reply without an event") }
            try takeChanges(events, isFirst: false)
        }
    }

    private func decoded<Answer: BusReply>(_ type: Answer.Type, _ reply: Reply) throws(Broken) -> Answer {
        do throws(CallError) {
            return try type.init(reply.parameters, noting: UnknownWords())
        } catch {
            throw Broken("\(name): \(reply) is invalid: \(error)")
        }
    }

    private func begin(_ reply: SubscribeReply) throws(Broken) {
        subscription = reply.subscription
        let isResumed = reply.resumed == true
        if let instance, isResumed != (instance == reply.instance) {
            throw Broken("\(name) resumed from instance \(instance), \(reply.instance) replied resumed \(isResumed)")
        }
        instance = reply.instance
        if isResumed { return try takeChanges(reply.events, isFirst: true) }
        guard reply.events.count == 2, reply.events.allSatisfy({ $0.changes == 0 }) else {
            throw Broken("\(name): unexpected initial state \(reply.events)")
        }
        for event in reply.events { try note(event) }
    }

    private func takeChanges(_ events: [Event], isFirst: Bool) throws(Broken) {
        let sequences = events.map(\.sequence)
        guard sequences == sequences.sorted() else { throw Broken("\(name): out of order, \(events)") }
        for event in events {
            let before = generations[event.aspect] ?? 0
            guard event.generation == before + event.changes, event.changes > 0 || isFirst && event.changes == 0 else {
                throw Broken("\(name) was at \(before) and received \(event)")
            }
            let last = numbers[event.aspect]
            try note(event)
            // At most one change for each state in between, and none without a new state.
            guard !isDisturbed else { continue }
            guard let last, let now = numbers[event.aspect], event.changes <= now - last,
                (event.changes == 0) == (now == last)
            else { throw Broken("\(name) knew \(numbers) and received \(event)") }
        }
    }

    private func note(_ event: Event) throws(Broken) {
        let number = Reality.number(in: event.reading)
        guard isDisturbed || number ?? -1 >= numbers[event.aspect] ?? 0 else {
            throw Broken("\(name) knew number \(numbers[event.aspect] ?? 0) and received \(event)")
        }
        numbers[event.aspect] = number
        generations[event.aspect] = event.generation
    }
}
