// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import Varlink

/// The interface `org.reveille.Bus`, and the limits of all interfaces of the bus.
package enum BusInterface {
    package static let name = "org.reveille.Bus"

    /// The methods of all interfaces of the bus.
    package static let methods: [any BusMethod.Type] = [
        AddEntry.self, BeginTask.self, CancelEntry.self, CheckCapabilities.self, DescribeAspects.self,
        DescribeDevice.self, GetHistory.self, GetLog.self, GetState.self, Import.self, ListEntries.self,
        ListSubscriptions.self,
        ObserveDemand.self, Post.self, Publish.self, Refresh.self, SetState.self, Subscribe.self,
    ]

    package static func make() -> Interface { parse(PackageResources.org_reveille_Bus_varlink) }

    /// Returns all interfaces of the bus, without `org.varlink.service`.
    package static func all() -> [Interface] {
        [
            make(), parse(PackageResources.org_reveille_Device_varlink),
            parse(PackageResources.org_reveille_Schedule_varlink),
        ]
    }

    private static func parse(_ text: [UInt8]) -> Interface {
        Interface(embedded: String(decoding: text, as: UTF8.self))
    }

    /// The longest name of a subscription and of a task in bytes: names are for people, in lists and logs.
    package static let nameLimit = 128

    /// The range of a `wakeAfter`: a millisecond to a year.
    ///
    /// A longer time is a mistake of the caller, and sums with times near the end of 64 bits overflow.
    package static let wakeAfterRange: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(31_536_000_000)

    /// The range of a policy's `interval`, for the same reasons: a millisecond to a year.
    package static let intervalRange = wakeAfterRange

    /// The most aspects and patterns of one call: each costs memory and time, and a pattern covers many.
    package static let aspectLimit = 64

    /// The most capabilities of one Check: each takes time on the bus, and a program requires dozens.
    package static let capabilityLimit = 1_024

    static func qualified(_ member: String) -> String {
        name + "." + member
    }
}

extension CallError {
    package static func noSuchSubscription(_ subscription: String) -> CallError {
        CallError(
            name: BusInterface.qualified("NoSuchSubscription"), parameters: ["subscription": .string(subscription)])
    }

    package static func cannotSuspend(_ reason: String) -> CallError {
        CallError(name: BusInterface.qualified("CannotSuspend"), parameters: ["reason": .string(reason)])
    }

    package static func invalidDomain(_ refusal: DomainSelection.Refusal) -> CallError {
        CallError(
            name: BusInterface.qualified("InvalidDomain"),
            parameters: ["domain": .string(refusal.domain), "reason": .string(refusal.reason)])
    }

    package static func noSuchEntry(_ id: String) -> CallError {
        CallError(name: "org.reveille.Schedule.NoSuchEntry", parameters: ["id": .string(id)])
    }

    package static func quotaExceeded(_ quota: Quota, limit: Int) -> CallError {
        CallError(
            name: BusInterface.qualified("QuotaExceeded"),
            parameters: ["quota": .string(quota.rawValue), "limit": .integer(Int64(limit))])
    }
}

/// Limits on what one user, one call or all users may have at a time, so that there is enough for others.
package enum Quota: String {
    case connections, processConnections, busConnections, aspects, domains, selections, names, value, entries, tasks,
        storage

    package func check(_ count: Int, atMost limit: Int) throws(CallError) {
        guard count <= limit else { throw .quotaExceeded(self, limit: limit) }
    }
}
