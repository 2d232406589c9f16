// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// The client's side of Subscribe: what is asked, and the first reply.
package enum SubscribeCoding {
    /// The parameters of a Subscribe.
    package static func encode(_ request: SubscriptionRequest) -> JSONObject {
        var parameters: JSONObject = ["aspects": .array(request.aspects.aspects.map { .string($0.rawValue) })]
        if let name = request.name { parameters["name"] = .string(name) }
        if request.startsInBackground { parameters["state"] = "background" }
        if request.wantsInitial { parameters["initial"] = true }
        if let instance = request.instance { parameters["instance"] = .string(instance) }
        if let positions = request.positions {
            parameters["resume"] = .array(
                positions.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    ["aspect": .string($0.key.rawValue), "generation": .integer(Int64($0.value))]
                })
        }
        if !request.policies.isEmpty {
            parameters["policies"] = .array(
                request.policies.sorted { $0.key.rawValue < $1.key.rawValue }.map { encode($0.value, of: $0.key) })
        }
        return parameters
    }

    private static func encode(_ policy: Policy, of aspect: Aspect) -> JSON {
        var object: JSONObject = [
            "aspect": .string(aspect.rawValue), "netChangeOnly": .bool(policy.netChangeOnly),
        ]
        switch policy.background {
        case .coalesce: object["background"] = "coalesce"
        case .drop: object["background"] = "drop"
        case .immediate: object["background"] = "immediate"
        case .hold(let limit):
            object["background"] = "hold"
            object["limit"] = .integer(Int64(limit))
        }
        return .object(object)
    }

    /// The first reply to a Subscribe.
    package struct Start: Sendable {
        /// The subscription's name on the bus.
        package let subscription: String
        /// The bus that the generations are of.
        package let instance: String
        /// Whether the positions were understood; `nil` when none were given.
        package let resumed: Bool?
        /// What was asked for.
        package let events: [Event]
    }

    /// Reads the first reply to a Subscribe, of a bus that may be newer than this program.
    ///
    /// - Parameters:
    ///   - parameters: The reply's.
    ///   - unknownWords: Takes the words that are not known, as ``EventCoding/decodeAll(_:noting:)`` has it.
    /// - Returns: What the reply says.
    /// - Throws: `InvalidParameter` naming the field that the interface does not allow.
    package static func decodeStart(
        _ parameters: JSONObject, noting unknownWords: UnknownWords
    ) throws(CallError) -> Start {
        let fields = Fields(parameters)
        return Start(
            subscription: try fields.string("subscription"), instance: try fields.string("instance"),
            resumed: try fields.optionalBool("resumed"),
            events: try EventCoding.decodeAll(parameters, noting: unknownWords))
    }
}
