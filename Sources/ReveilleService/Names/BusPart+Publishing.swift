// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

extension BusPart {
    func checkPermission(to value: PublishedValue, after former: Publisher?, by user: UInt32) throws(CallError) {
        try access.permissions.check(value, after: former, by: user, allowing: configuration.publish.allow)
    }

    /// Checks whether a user may publish another value, in addition to a number of names that are about to be
    /// published.
    func checkQuotas(
        of value: PublishedValue, after former: Publisher?, by user: UInt32, beside names: Int = 0
    ) throws(CallError) {
        try Quota.value.check(value.bytes?.count ?? 0, atMost: configuration.publish.valueSize)
        guard former?.user != user else { return }
        try Quota.names.check(bus.names(of: user).live + names + 1, atMost: configuration.publish.names)
        bus.limitWithdrawnNames(of: user, to: configuration.publish.names)
    }
}
