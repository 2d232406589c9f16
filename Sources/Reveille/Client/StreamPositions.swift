// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

/// The positions of a stream on its bus: the generation of the last event of each aspect.
///
/// A name that only a pattern matches is forgotten when it is withdrawn, so names that come and go use no memory.
///
/// Pure.
struct StreamPositions {
    /// The size in bytes of the positions in a call, of at least one for each aspect of the subscription.
    ///
    /// A bus accepts calls of 64 KiB by default. The longest lists of aspects and policies take two thirds of it.
    static let sizeLimit = 16 << 10
    /// The approximate size of a position in a call, without the name.
    private static let overhead = 48

    private let aspects: AspectSet
    private(set) var generations: [Aspect: Int]
    /// The names that the subscription lists itself, and that were not published at the last report.
    private var absent: Set<Aspect> = []
    /// The positions for which the last call had no room.
    private var unsent: [Aspect: Int] = [:]

    init(_ request: SubscriptionRequest) {
        aspects = request.aspects
        generations = (request.positions ?? [:]).filter { request.aspects.covers($0.key) }
    }

    func isNewer(_ event: Event) -> Bool {
        event.generation > generations[event.aspect] ?? 0
    }

    mutating func note(_ events: [Event]) {
        // The lifecycle of a subscription has no position in another one.
        for event in events where event.reading.lifecycle == nil {
            let isGone = event.reading.published?.isWithdrawn == true
            if aspects.contains(event.aspect) {
                generations[event.aspect] = event.generation
                if isGone { absent.insert(event.aspect) } else { absent.remove(event.aspect) }
            } else {
                generations[event.aspect] = isGone ? nil : event.generation
            }
        }
    }

    var matched: [Aspect: Int] { generations.filter { !aspects.contains($0.key) } }

    /// Returns the positions that fit into a call; ``corrected(_:at:)`` compensates for the others.
    mutating func fitting() -> [Aspect: Int] {
        var fitting = generations
        unsent = [:]
        // The aspects of the subscription are always sent, and take room from the others.
        var size = generations.keys.filter(aspects.contains).reduce(0) { $0 + Self.size(of: $1) }
        for (name, generation) in matched.sorted(by: { $0.key < $1.key }) {
            size += Self.size(of: name)
            if size > Self.sizeLimit { unsent[name] = generation }
        }
        for name in unsent.keys { fitting[name] = nil }
        return fitting
    }

    private static func size(of aspect: Aspect) -> Int { aspect.name.utf8.count + overhead }

    /// Returns the events of the first reply to a request with the positions, with corrections that the bus cannot make.
    ///
    /// Each name that is no longer published gets a withdrawal at the time of the reply.
    func corrected(_ reply: SubscribeReply, at time: Timestamp) -> [Event] {
        let events = reply.resumed == true ? reply.events.map(corrected) : reply.events
        // The reply has the state of every name that is published.
        return events + withdrawals(since: matched, in: events, changes: reply.resumed == false ? 0 : 1, at: time)
    }

    private func corrected(_ event: Event) -> Event {
        var event = event
        if let position = unsent[event.aspect] {
            // The bus takes the name for a new one.
            event.changeCount = min(event.changeCount, max(0, event.generation - position))
        } else if absent.contains(event.aspect), event.reading.published?.isWithdrawn == true, event.isNetChange {
            // The bus has forgotten the name, and cannot know that the name was not published before either.
            event.changeCount = 0
        }
        return event
    }

    /// Returns the names, in order, that are missing from the states of all published names, and thus were withdrawn.
    ///
    /// The positions are from the time when the states were requested: a name with an event since is not missing.
    func missing(since positions: [Aspect: Int], in states: [Event]) -> [Aspect] {
        guard !positions.isEmpty else { return [] }
        let present = Set(states.map(\.aspect))
        return positions.filter { !present.contains($0.key) && generations[$0.key] == $0.value }.keys.sorted()
    }

    /// Returns an event for the withdrawal of each missing name; see ``missing(since:in:)``.
    func withdrawals(
        since positions: [Aspect: Int], in states: [Event], changes: Int, at time: Timestamp
    ) -> [Event] {
        let sequence = states.map(\.sequence).max() ?? 0
        return missing(since: positions, in: states).map { name in
            let next = (generations[name] ?? 0).addingUpToMaximum(1)
            return Event(
                reading: .unknown(name), generation: max(sequence, next), sequence: sequence, changeCount: changes,
                isNetChange: true, firstChangedAt: time, changedAt: time, droppedCount: 0)
        }
    }
}
