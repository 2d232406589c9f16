// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import Varlink

/// What people see of the bus, as the interface's structures `Subscription` and `AspectInfo`.
package enum StatusCoding {
    /// The structure of a subscription.
    ///
    /// - Parameters:
    ///   - status: What the bus knows of it.
    ///   - pid: The process that connected.
    ///   - uid: Its user.
    /// - Returns: An element of ListSubscriptions' `subscriptions`.
    package static func encode(_ status: SubscriptionStatus, pid: Int32, uid: UInt32) -> JSON {
        .object([
            "subscription": .string(status.id.wireName),
            "name": status.name.map { .string($0) } ?? .null,
            "pid": .integer(Int64(pid)),
            "uid": .integer(Int64(uid)),
            "aspects": .array(status.aspects.aspects.map { .string($0.rawValue) }),
            "held": .array(status.holds.names.map { .string($0) }),
            "pending": .array(
                status.pending.map {
                    .object(["aspect": .string($0.aspect.rawValue), "changes": .integer(Int64($0.changes))])
                }),
            "events": .integer(Int64(status.events)),
            "changes": .integer(Int64(status.changes)),
        ])
    }

    /// The structure of an aspect's source: a name, or the reason why there is none.
    package static func encode(_ aspect: Aspect, monitored: Bool, source: String?, reason: String?) -> JSON {
        .object([
            "aspect": .string(aspect.rawValue),
            "available": .bool(source != nil),
            "monitored": .bool(monitored),
            "source": source.map { .string($0) } ?? .null,
            "reason": reason.map { .string($0) } ?? .null,
        ])
    }
}

extension StatusCoding {
    /// What an aspect is read from, as the bus tells it.
    package struct Source: Sendable {
        /// The aspect.
        package let aspect: Aspect
        /// Whether it is being watched.
        package let isMonitored: Bool
        /// What is read; `nil` where there is nothing.
        package let source: String?
        /// Why there is nothing.
        package let reason: String?
    }

    /// A subscription, as the bus tells it.
    package struct Subscription: Sendable {
        /// Its name on the bus.
        package let id: String
        /// The name that the subscriber gave.
        package let name: String?
        /// The process that connected.
        package let pid: Int32
        /// Its user.
        package let uid: UInt32
        /// What it is told of.
        package let aspects: AspectSet
        /// Why nothing is delivered now.
        package let holds: HoldReasons
        /// The changes that wait, by aspect.
        package let pending: [Aspect: Int]
        /// Events delivered so far.
        package let events: Int
        /// Changes that those events stood for.
        package let changes: Int
    }

    /// Reads the reply of DescribeAspects; aspects that are not known are passed over.
    package static func decodeSources(_ parameters: JSONObject) throws(CallError) -> [Source] {
        var sources: [Source] = []
        for fields in try Fields(parameters).structures("aspects") {
            guard let aspect = Aspect(rawValue: try fields.string("aspect")) else { continue }
            sources.append(
                Source(
                    aspect: aspect, isMonitored: try fields.bool("monitored"),
                    source: try fields.optional("source") { $0.stringValue },
                    reason: try fields.optional("reason") { $0.stringValue }))
        }
        return sources
    }

    /// Reads the reply of Post.
    package static func decodePosted(
        _ parameters: JSONObject
    ) throws(CallError) -> (generation: Int, sequence: Int) {
        let fields = Fields(parameters)
        return (try fields.count("generation"), try fields.count("sequence"))
    }

    /// Reads the reply of ListSubscriptions; aspects and holds that are not known are passed over.
    package static func decodeSubscriptions(_ parameters: JSONObject) throws(CallError) -> [Subscription] {
        var subscriptions: [Subscription] = []
        for fields in try Fields(parameters).structures("subscriptions") {
            var pending: [Aspect: Int] = [:]
            for entry in try fields.structures("pending") {
                guard let aspect = Aspect(rawValue: try entry.string("aspect")) else { continue }
                pending[aspect] = try entry.count("changes")
            }
            subscriptions.append(
                Subscription(
                    id: try fields.string("subscription"), name: try fields.optional("name") { $0.stringValue },
                    pid: Int32(truncatingIfNeeded: try fields.integer("pid")),
                    uid: UInt32(truncatingIfNeeded: try fields.integer("uid")),
                    aspects: AspectSet(try fields.strings("aspects").compactMap { Aspect(rawValue: $0) }),
                    holds: HoldReasons(names: try fields.strings("held")), pending: pending,
                    events: try fields.count("events"), changes: try fields.count("changes")))
        }
        return subscriptions
    }
}

extension SubscriptionID {
    /// The name on the wire: 16 hexadecimal digits.
    package var wireName: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The subscription of a name on the wire; `nil` for what no subscription is called.
    package init?(wireName: String) {
        guard let number = UInt64(wireName, radix: 16) else { return nil }
        self.init(rawValue: number)
        guard self.wireName == wireName else { return nil }
    }
}
