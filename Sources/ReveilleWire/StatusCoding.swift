// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// Encodes and decodes the interface's structures `Subscription` and `AspectInfo`.
package enum StatusCoding {
    /// Returns the structure of a subscription.
    package static func encode(_ subscriber: Subscriber) -> JSON {
        let pending = subscriber.aspects.aspects.compactMap { aspect in
            subscriber.pending[aspect].map {
                JSON.object(["aspect": .string(aspect.rawValue), "changes": .integer(Int64($0))])
            }
        }
        return .object([
            "subscription": .string(subscriber.id),
            "name": subscriber.name.map { .string($0) } ?? .null,
            "pid": .integer(Int64(subscriber.processID)),
            "uid": .integer(Int64(subscriber.userID)),
            "aspects": .array(subscriber.aspects.aspects.map { .string($0.rawValue) }),
            "held": .array(subscriber.holds.names.map { .string($0) }),
            "pending": .array(pending),
            "events": .integer(Int64(subscriber.events)),
            "changes": .integer(Int64(subscriber.changes)),
        ])
    }

    /// Returns the structure of an aspect's source.
    package static func encode(_ source: AspectSource) -> JSON {
        .object([
            "aspect": .string(source.aspect.rawValue),
            "available": .bool(source.isAvailable),
            "monitored": .bool(source.isMonitored),
            "source": source.isAvailable ? .string(source.text) : .null,
            "reason": source.isAvailable ? .null : .string(source.text),
        ])
    }

    /// Reads the structure of an aspect's source; `nil` for an unknown aspect.
    static func decodeSource(_ fields: Fields) throws(CallError) -> AspectSource? {
        guard let aspect = Aspect(rawValue: try fields.string("aspect")) else { return nil }
        let source = try fields.optional("source") { $0.stringValue }
        let reason = try fields.optional("reason") { $0.stringValue }
        return AspectSource(
            aspect: aspect, isAvailable: source != nil, isMonitored: try fields.bool("monitored"),
            text: source ?? reason ?? "")
    }

    /// Reads the structure of a subscription; unknown aspects and holds are ignored.
    static func decodeSubscriber(_ fields: Fields) throws(CallError) -> Subscriber {
        var pending: [Aspect: Int] = [:]
        for entry in try fields.structures("pending") {
            guard let aspect = Aspect(rawValue: try entry.string("aspect")) else { continue }
            pending[aspect] = try entry.count("changes")
        }
        return Subscriber(
            id: try fields.string("subscription"), name: try fields.optional("name") { $0.stringValue },
            processID: Int32(truncatingIfNeeded: try fields.integer("pid")),
            userID: UInt32(truncatingIfNeeded: try fields.integer("uid")),
            aspects: AspectSet(try fields.strings("aspects").compactMap { Aspect(rawValue: $0) }),
            holds: HoldReasons(names: try fields.strings("held")), pending: pending,
            events: try fields.count("events"), changes: try fields.count("changes"))
    }
}

extension Subscriber {
    /// Creates the description of a subscription from its status and the process that connected.
    package init(_ status: SubscriptionStatus, processID: Int32, userID: UInt32) {
        self.init(
            id: status.id.wireName, name: status.name, processID: processID, userID: userID,
            aspects: status.aspects, holds: status.holds,
            pending: status.pending,
            events: status.events, changes: status.changes)
    }
}

extension SubscriptionID {
    /// The name on the wire: 16 hexadecimal digits.
    package var wireName: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates the identifier with a name on the wire; `nil` for a text that no subscription has as its name.
    package init?(wireName: String) {
        guard let number = UInt64(wireName, radix: 16) else { return nil }
        self.init(rawValue: number)
        guard self.wireName == wireName else { return nil }
    }
}
