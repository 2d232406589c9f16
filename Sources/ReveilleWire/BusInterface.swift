// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// The interface `org.reveille.Bus`: its text is a file in this folder, embedded in the program.
package enum BusInterface {
    /// The interface's name.
    package static let name = "org.reveille.Bus"

    /// The interface, parsed from its text.
    package static func make() -> Interface {
        let text = String(decoding: PackageResources.org_reveille_Bus_varlink, as: UTF8.self)
        do throws(InterfaceError) {
            return try Interface(parsing: text)
        } catch {
            preconditionFailure("the embedded interface text does not parse: \(error)")
        }
    }

    /// The longest name of a subscription, in bytes of UTF-8.
    ///
    /// Names are for people, in lists and logs; a longer one is somebody's payload.
    package static let nameLimit = 128

    /// How long a `wakeAfter` may be, in milliseconds: a year at most.
    ///
    /// A longer time is a slip of the caller's, and times near the end of what 64 bits hold overflow as soon as
    /// somebody counts with them.
    package static let wakeAfterRange: ClosedRange<Int64> = 1...31_536_000_000

    static func qualified(_ member: String) -> String {
        name + "." + member
    }
}

extension CallError {
    /// There is no subscription of that name on the bus.
    package static func noSuchSubscription(_ subscription: String) -> CallError {
        CallError(
            name: BusInterface.qualified("NoSuchSubscription"), parameters: ["subscription": .string(subscription)])
    }

    /// A limit is reached: `connections` or `subscriptions`.
    package static func quotaExceeded(_ quota: String, limit: Int) -> CallError {
        CallError(
            name: BusInterface.qualified("QuotaExceeded"),
            parameters: ["quota": .string(quota), "limit": .integer(Int64(limit))])
    }
}
