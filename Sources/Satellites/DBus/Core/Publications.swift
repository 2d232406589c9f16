// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The published values, of which the bus is sent one at a time for each name.
///
/// Several objects may want one name: then the first in the order of their rules, services and paths has it. A value that
/// the bus refuses leaves none, and is sent again after a pause.
struct Publications: Sendable {
    struct Place: Sendable, Hashable, Comparable {
        var rule: Int
        var service: String
        var path: String

        static func < (one: Place, other: Place) -> Bool {
            (one.rule, one.service, one.path) < (other.rule, other.service, other.path)
        }
    }

    private struct Publication: Sendable {
        var values: [Place: JSONObject] = [:]
        /// The value that the bus has taken.
        var taken: JSONObject?
        /// Whether another program may have replaced it.
        var isDoubtful = false
        /// The value that the bus has not answered yet.
        var sent: JSONObject??
        /// The value that the bus has refused last, until it is sent again.
        var refused: JSONObject?
        var refusals = 0

        var wanted: JSONObject? { values.min { $0.key < $1.key }.map(\.value).flatMap { $0 == refused ? nil : $0 } }
    }

    private var publications: [String: Publication] = [:]
    /// The published name of each place that has a value.
    private var names: [Place: String] = [:]
    /// When refused values are sent again.
    private var retries: [String: Follower.Instant] = [:]

    var deadline: Follower.Instant? { retries.values.min() }

    /// Publishes the value of an object, or withdraws it with `nil`.
    mutating func set(_ name: String, _ value: JSONObject?, of place: Place, _ effects: inout [Follower.Effect]) {
        names[place] = value == nil ? nil : name
        publications[name, default: Publication()].values[place] = value
        send(name, &effects)
    }

    mutating func withdraw(_ effects: inout [Follower.Effect], where isMeant: (Place) -> Bool) {
        for (place, name) in names.filter({ isMeant($0.key) }).sorted(by: { $0.key < $1.key }) {
            set(name, nil, of: place, &effects)
        }
    }

    /// Sends the next value even if it is the last one, which another program may have replaced meanwhile.
    mutating func doubt(where isMeant: (Place) -> Bool) {
        for (place, name) in names where isMeant(place) { publications[name]?.isDoubtful = true }
    }

    mutating func answered(
        _ name: String, isRefused: Bool, at now: Follower.Instant, _ effects: inout [Follower.Effect]
    ) {
        guard var publication = publications[name], let sent = publication.sent else { return }
        publication.sent = nil
        if isRefused, sent != nil {
            publication.refused = sent
            publication.refusals += 1
            retries[name] = now + Follower.pause(after: publication.refusals)
        } else {
            // A name that the bus does not let this program withdraw is not its own.
            publication.taken = sent
            if sent != nil { publication.refusals = 0 }
        }
        publications[name] = publication
        send(name, &effects)
    }

    mutating func retry(at now: Follower.Instant, _ effects: inout [Follower.Effect]) {
        for name in retries.filter({ $0.value <= now }).keys.sorted() {
            retries[name] = nil
            publications[name]?.refused = nil
            send(name, &effects)
        }
    }

    /// Sends the newest value, unless the bus has it or has not answered yet.
    private mutating func send(_ name: String, _ effects: inout [Follower.Effect]) {
        guard var publication = publications[name], publication.sent == nil else { return }
        let wanted = publication.wanted
        if wanted == publication.taken, !publication.isDoubtful {
            if publication.values.isEmpty { (publications[name], retries[name]) = (nil, nil) }
            return
        }
        publication.isDoubtful = false
        publication.sent = wanted
        publications[name] = publication
        effects.append(.publish(name, wanted))
    }
}
