// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import Varlink

/// Asks for the current state of some aspects.
package struct GetState: BusMethod {
    package typealias Answer = EventsReply
    package static var name: String { "org.reveille.Bus.GetState" }
    package let aspects: AspectSet
    package let wantsSupply: Bool

    package init(_ aspects: AspectSet, wantsSupply: Bool = false) {
        (self.aspects, self.wantsSupply) = (aspects, wantsSupply)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        aspects = try fields.aspects() ?? .default
        // Without a subscription, there is no such state.
        guard !aspects.builtIn.contains(where: \.isOfSubscription) else {
            throw fields.invalid("aspects", "cannot have lifecycle, which each subscription has for itself")
        }
        wantsSupply = try fields.wantsSupply()
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["aspects": JSON(aspects)]
        parameters.ask(forSupply: wantsSupply)
        return parameters
    }
}

/// The reply to ``GetState`` and ``GetHistory``.
package struct EventsReply: BusReply {
    package var instance: String
    /// The states, as events whose `Event.changeCount` are 0, or the changes.
    package var events: [Event]

    package init(instance: String, events: [Event]) {
        self.instance = instance
        self.events = events
    }

    package init(_ parameters: JSONObject, noting unknownWords: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        instance = try fields.string("instance")
        events = try [Event](parameters, noting: unknownWords)
    }

    package var parameters: JSONObject { ["instance": .string(instance), "events": .array(events.map(\.structure))] }
}

/// Asks for the latest changes of an aspect.
package struct GetHistory: BusMethod {
    package typealias Answer = EventsReply
    package static var name: String { "org.reveille.Bus.GetHistory" }
    package let aspect: Aspect
    /// `nil` for all changes that the bus keeps.
    package let limit: Int?
    package let wantsSupply: Bool

    package init(_ aspect: Aspect, limit: Int? = nil, wantsSupply: Bool = false) {
        (self.aspect, self.limit, self.wantsSupply) = (aspect, limit, wantsSupply)
    }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) {
        limit = try fields.optional("limit", "must be 1 or more") { value in
            value.integerValue.flatMap { $0 >= 1 ? Int($0) : nil }
        }
        aspect = try fields.aspect("cannot be lifecycle or a pattern") {
            !$0.isPattern && $0.builtIn?.isOfSubscription != true
        }
        wantsSupply = try fields.wantsSupply()
    }

    package var parameters: JSONObject {
        var parameters: JSONObject = ["aspect": .string(aspect.name)]
        if let limit { parameters["limit"] = .integer(Int64(limit)) }
        parameters.ask(forSupply: wantsSupply)
        return parameters
    }
}

/// Posts a synthetic state.
package struct Post: BusMethod {
    package typealias Answer = Revision
    package static var name: String { "org.reveille.Bus.Post" }
    package let reading: Reading

    package init(_ reading: Reading) { self.reading = reading }

    package init(_ fields: inout Fields, history _: Int) throws(CallError) { reading = try fields.onlyReading() }

    package var parameters: JSONObject { [reading.aspect.name: ReadingCoding.encode(reading)] }
}

/// The reply to ``Post`` and ``Publish``.
extension Revision: BusReply, WireStructure {
    package init(_ parameters: JSONObject, noting _: UnknownWords) throws(CallError) {
        var fields = Fields(parameters)
        self.init(generation: try fields.count(.generation), sequence: try fields.count(.sequence))
    }

    @usableFromInline package func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.generation, generation)
        fields.add(.sequence, sequence)
    }

    package var parameters: JSONObject { object }

    package func encoded() -> [UInt8] {
        Reply.encode(continues: false) { $0.append(self) }
    }
}

/// Reads every source again.
package struct Refresh: BareMethod {
    package typealias Answer = EmptyReply
    package static var name: String { "org.reveille.Bus.Refresh" }

    package init() {}
}
