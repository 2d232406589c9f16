// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The published values, of which the bus is sent one at a time for each name.
///
/// Several objects may want one name: then the first in the order of their rules, services and paths has it.
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
        /// What the bus was sent last.
        var sent: JSONObject?
        var isSending = false

        var wanted: JSONObject? { values.min { $0.key < $1.key }?.value }
    }

    private var publications: [String: Publication] = [:]
    /// The names of the places that have one.
    private var names: [Place: String] = [:]

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

    mutating func answered(_ name: String, _ effects: inout [Follower.Effect]) {
        publications[name]?.isSending = false
        send(name, &effects)
    }

    /// Sends the newest value, unless the bus has it or has not answered yet.
    private mutating func send(_ name: String, _ effects: inout [Follower.Effect]) {
        guard var publication = publications[name], !publication.isSending else { return }
        let wanted = publication.wanted
        if wanted == publication.sent {
            if wanted == nil { publications[name] = nil }
            return
        }
        publication.sent = wanted
        publication.isSending = true
        publications[name] = publication
        effects.append(.publish(name, wanted))
    }
}
