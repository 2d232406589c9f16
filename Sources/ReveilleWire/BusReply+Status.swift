// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// The reply to ``BusCall/listSubscriptions``.
package struct ListSubscriptionsReply: BusReply {
    /// All subscriptions of the bus.
    package var subscribers: [Subscriber]

    /// Creates a reply from the subscriptions.
    package init(subscribers: [Subscriber]) {
        self.subscribers = subscribers
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        subscribers = []
        for fields in try Fields(parameters).structures("subscriptions") {
            subscribers.append(try StatusCoding.decodeSubscriber(fields))
        }
    }

    package var parameters: JSONObject { ["subscriptions": .array(subscribers.map(StatusCoding.encode))] }
}

/// The reply to ``BusCall/describeAspects``.
package struct DescribeAspectsReply: BusReply {
    /// The source of each aspect.
    package var sources: [AspectSource]

    /// Creates a reply from the sources.
    package init(sources: [AspectSource]) {
        self.sources = sources
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        sources = []
        for fields in try Fields(parameters).structures("aspects") {
            if let source = try StatusCoding.decodeSource(fields) { sources.append(source) }
        }
    }

    package var parameters: JSONObject { ["aspects": .array(sources.map(StatusCoding.encode))] }
}

/// The reply to ``BusCall/post(_:)``: the aspect's state after it.
package struct PostReply: BusReply {
    /// The generation of the aspect's state.
    package var generation: Int
    /// The sequence of the change that led to it.
    package var sequence: Int

    /// Creates a reply from its parts.
    package init(generation: Int, sequence: Int) {
        self.generation = generation
        self.sequence = sequence
    }

    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        let fields = Fields(parameters)
        generation = try fields.count("generation")
        sequence = try fields.count("sequence")
    }

    package var parameters: JSONObject {
        ["generation": .integer(Int64(generation)), "sequence": .integer(Int64(sequence))]
    }
}

/// The reply to ``BusCall/setState(subscription:background:wakeAfter:)`` and ``BusCall/refresh``: it has no fields.
package struct EmptyReply: BusReply {
    /// Creates the reply.
    package init() {}

    package init(_: JSONObject, noting _: UnknownWords) throws(CallError) {}

    package var parameters: JSONObject { [:] }
}
