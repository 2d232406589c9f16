// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// Starts a stream of events; the replies are a ``SubscribeReply`` and then any number of lists of events.
package struct Subscribe: BusMethod {
    package typealias Answer = SubscribeReply
    package static var name: String { "org.reveille.Bus.Subscribe" }
    package static var isStream: Bool { true }
    package let request: SubscriptionRequest

    private enum StateWord: String, WordSet {
        case background, foreground
    }

    package init(_ request: SubscriptionRequest) { self.request = request }

    package init(_ fields: inout Fields, history: Int) throws(CallError) {
        let aspects = try fields.aspects() ?? .default
        let state: StateWord? = try fields.optionalWord("state")
        let name = try fields.optional("name", "must have at most \(BusInterface.nameLimit) bytes") { value in
            value.stringValue.flatMap { $0.utf8.count <= BusInterface.nameLimit ? $0 : nil }
        }
        let positions = try fields.optionalStructures("resume") { position throws(CallError) in
            let generation = try position.count(.generation)
            return (try position.aspect("cannot be a pattern") { !$0.isPattern }, generation)
        }
        let policies = try fields.optionalStructures("policies") { policy throws(CallError) in
            try policy.policy(among: aspects, history: history)
        }
        request = SubscriptionRequest(
            aspects: aspects, domains: try Self.domains(&fields, of: aspects), wantsSupply: try fields.wantsSupply(),
            name: name, startsInBackground: state == .background,
            wantsInitial: try fields.optionalBool("initial") ?? false,
            instance: try fields.optionalString("instance"),
            positions: positions.map { Dictionary($0, uniquingKeysWith: { $1 }) },
            policies: Dictionary(policies ?? [], uniquingKeysWith: { $1 }))
    }

    private static func domains(_ fields: inout Fields, of aspects: AspectSet) throws(CallError) -> DomainSelection? {
        guard let words = try fields.optionalStrings("domains") else { return nil }
        guard !words.isEmpty else { throw fields.invalid("domains", "must have at least one") }
        guard aspects.contains(Aspect.defaults) else { throw fields.invalid("domains", "need the aspect defaults") }
        try Quota.domains.check(words.count, atMost: DomainSelection.limit)
        return try Result { () throws(DomainSelection.Refusal) in try DomainSelection(words) }
            .mapError { CallError.invalidDomain($0) }.get()
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["aspects": JSON(request.aspects)]
        parameters["domains"] = request.domains.map { JSON(strings: $0.words) }
        parameters.ask(forSupply: request.wantsSupply)
        if let name = request.name { parameters["name"] = .string(name) }
        if request.startsInBackground { parameters["state"] = "background" }
        if request.wantsInitial { parameters["initial"] = true }
        if let instance = request.instance { parameters["instance"] = .string(instance) }
        if let positions = request.positions {
            parameters["resume"] = .array(
                positions.sorted { $0.key < $1.key }.map {
                    ["aspect": .string($0.key.name), "generation": .integer(Int64($0.value))]
                })
        }
        if !request.policies.isEmpty {
            parameters["policies"] = .array(
                request.policies.sorted { $0.key < $1.key }.map { $0.value.structure(of: $0.key) })
        }
        return parameters
    }
}

package struct SubscribeReply: BusReply {
    package var subscription: String
    /// The instance of the bus that the generations belong to.
    package var instance: String
    /// Whether the bus knew the positions in the request; `nil` without positions.
    package var resumed: Bool?
    package var events: [Event]

    package init(subscription: String, instance: String, resumed: Bool?, events: [Event]) {
        self.subscription = subscription
        self.instance = instance
        self.resumed = resumed
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        subscription = try fields.string("subscription")
        instance = try fields.string("instance")
        resumed = try fields.optionalBool("resumed")
        events = try [Event](parameters, noting: unknownWords)
    }

    /// The parameters before the events.
    package var head: JSONObject {
        var head: JSONObject = ["subscription": .string(subscription), "instance": .string(instance)]
        if let resumed { head["resumed"] = .bool(resumed) }
        return head
    }

    package var parameters: JSONObject { JSONObject(members: head.members + events.parameters.members) }
}
