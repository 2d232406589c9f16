// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// A reply to a ``BusCall``: a service encodes it, a client decodes it.
package protocol BusReply: Sendable, Hashable {
    /// Decodes a reply of a bus that may be newer than this program.
    ///
    /// - Parameters:
    ///   - parameters: The reply's parameters; unknown fields are ignored.
    ///   - unknownWords: Collects the unknown words. An event of an unknown aspect is ignored; in a reading such a
    ///     word reads as `unknown`.
    /// - Throws: `InvalidParameter` with the field that the interface does not allow.
    init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError)
    /// The reply's parameters.
    var parameters: JSONObject { get }
}

/// The first reply to ``BusCall/subscribe(_:)``.
package struct SubscribeReply: BusReply {
    /// The subscription's name on the bus.
    package var subscription: String
    /// The instance of the bus that the generations belong to.
    package var instance: String
    /// Whether the bus knew the positions in the request; `nil` without positions.
    package var resumed: Bool?
    /// The events and states that the request asked for.
    package var events: [Event]

    /// Creates a reply from its parts.
    package init(subscription: String, instance: String, resumed: Bool?, events: [Event]) {
        self.subscription = subscription
        self.instance = instance
        self.resumed = resumed
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        let fields = Fields(parameters)
        subscription = try fields.string("subscription")
        instance = try fields.string("instance")
        resumed = try fields.optionalBool("resumed")
        events = try EventCoding.decodeAll(parameters, noting: unknownWords)
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["subscription": .string(subscription), "instance": .string(instance)]
        if let resumed { parameters["resumed"] = .bool(resumed) }
        parameters["events"] = .array(events.map(EventCoding.encode))
        return parameters
    }
}

/// A later reply to ``BusCall/subscribe(_:)``.
package struct EventsReply: BusReply {
    /// The events, at least one.
    package var events: [Event]

    /// Creates a reply from its events.
    package init(events: [Event]) {
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        events = try EventCoding.decodeAll(parameters, noting: unknownWords)
    }

    package var parameters: JSONObject { ["events": .array(events.map(EventCoding.encode))] }
}

/// The reply to ``BusCall/getState(_:)``.
package struct GetStateReply: BusReply {
    /// The instance of the bus that the generations belong to.
    package var instance: String
    /// The states, as events whose `Event.changes` are 0.
    package var events: [Event]

    /// Creates a reply from its parts.
    package init(instance: String, events: [Event]) {
        self.instance = instance
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        instance = try Fields(parameters).string("instance")
        events = try EventCoding.decodeAll(parameters, noting: unknownWords)
    }

    package var parameters: JSONObject {
        ["instance": .string(instance), "events": .array(events.map(EventCoding.encode))]
    }
}
