// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

extension SubscriptionRequest {
    /// Refuses invalid requests, and names the aspect, unlike the bus.
    func check() throws(ReveilleError) {
        for aspect in aspects.aspects { try aspect.checkIsValid() }
        for (aspect, policy) in policies.sorted(by: { $0.key < $1.key }) {
            guard aspect.builtIn != nil || aspects.covers(aspect) else {
                throw ReveilleError(
                    .invalidArgument, "the policy of \(aspect): the subscription has neither it nor a pattern of it")
            }
            if aspect == .lifecycle, policy.background != .coalesce, policy.background != .end {
                throw ReveilleError(
                    .invalidArgument,
                    "the policy of lifecycle: it passes the background anyway, and can only end the program")
            }
            if aspect != .lifecycle, policy.background == .end {
                throw ReveilleError(
                    .invalidArgument, "the policy of \(aspect): only the policy of lifecycle can end the program")
            }
            let isMode = policy.background == .immediate || policy.background == .end
            guard !isMode || aspects.covers(aspect) else {
                throw ReveilleError(
                    .invalidArgument, "the policy of \(aspect): the subscription does not have the aspect")
            }
            let range = BusInterface.intervalRange
            if let interval = policy.interval, !range.contains(interval) {
                let most = range.upperBound.wholeMilliseconds
                throw ReveilleError(
                    .invalidArgument,
                    """
                    the policy of \(aspect): the interval must be from 1 millisecond to a year (\(most) milliseconds), \
                    not \(interval)
                    """)
            }
        }
    }
}
