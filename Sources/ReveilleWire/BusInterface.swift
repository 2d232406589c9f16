// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

/// The interface `org.reveille.Bus`; its text is the file `Interfaces/org.reveille.Bus.varlink`, which the program embeds.
package enum BusInterface {
    /// The interface's name.
    package static let name = "org.reveille.Bus"

    /// Returns the interface, parsed from its text.
    package static func make() -> Interface { Interface(embedded: PackageResources.org_reveille_Bus_varlink) }

    /// The longest name of a subscription and of a task, in bytes of UTF-8.
    ///
    /// Names are for people, in lists and logs; anything longer is a payload.
    package static let nameLimit = 128

    /// The range of a `wakeAfter`: a millisecond to a year.
    ///
    /// A longer time is a mistake of the caller, and sums with times near the end of 64 bits overflow.
    package static let wakeAfterRange: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(31_536_000_000)

    /// The range of a policy's `interval`, for the same reasons: a millisecond to a year.
    package static let intervalRange = wakeAfterRange

    /// The most aspects and patterns of one subscription, and of one GetState.
    ///
    /// Each costs memory and time on the bus. A program that wants more of them can use a pattern.
    package static let aspectLimit = 64

    static func qualified(_ member: String) -> String {
        name + "." + member
    }
}

extension Interface {
    /// Creates an interface from a text that the program embeds.
    init(embedded text: [UInt8]) {
        do throws(InterfaceError) {
            try self.init(parsing: String(decoding: text, as: UTF8.self))
        } catch {
            preconditionFailure("the embedded interface text does not parse: \(error)")
        }
    }
}

extension CallError {
    /// The bus has no subscription with a name.
    package static func noSuchSubscription(_ subscription: String) -> CallError {
        CallError(
            name: BusInterface.qualified("NoSuchSubscription"), parameters: ["subscription": .string(subscription)])
    }

    /// A program could not be suspended, and why.
    package static func cannotSuspend(_ reason: String) -> CallError {
        CallError(name: BusInterface.qualified("CannotSuspend"), parameters: ["reason": .string(reason)])
    }

    /// A limit of the bus is reached: `connections`, `aspects`, `names`, `value`, `tasks` or `entries`.
    package static func quotaExceeded(_ quota: String, limit: Int) -> CallError {
        CallError(
            name: BusInterface.qualified("QuotaExceeded"),
            parameters: ["quota": .string(quota), "limit": .integer(Int64(limit))])
    }
}
