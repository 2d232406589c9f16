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
