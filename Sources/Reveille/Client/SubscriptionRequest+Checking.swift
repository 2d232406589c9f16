// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

extension DomainSelection {
    /// Refuses invalid domains, with the reason; `nil` for all domains.
    init?(checking words: [String]?, for aspects: AspectSet) throws(ReveilleError) {
        guard let words else { return nil }
        guard !words.isEmpty, aspects.contains(Aspect.defaults) else {
            throw ReveilleError(.invalidArgument, "a list of domains has at least one, and limits the aspect defaults")
        }
        self = try Result { () throws(Refusal) in try Self(words) }
            .mapError { ReveilleError(.invalidArgument, "the domain \($0.domain.debugDescription): \($0.reason)") }
            .get()
    }
}

extension SubscriptionRequest {
    /// Refuses invalid requests, and names the aspect, unlike the bus.
    func check() throws(ReveilleError) {
        guard !aspects.isEmpty else {
            throw ReveilleError(.invalidArgument, "a subscription needs at least one aspect, name or pattern")
        }
        for aspect in aspects.aspects { try aspect.checkIsValid() }
        for (aspect, policy) in policies.sorted(by: { $0.key < $1.key }) {
            guard let fault = fault(of: policy, for: aspect) else { continue }
            throw ReveilleError(.invalidArgument, "the policy of \(aspect): \(fault)")
        }
    }

    private func fault(of policy: Policy, for aspect: Aspect) -> String? {
        let isCovered = aspects.covers(aspect)
        guard isCovered || aspect.builtIn != nil else { return "the subscription has neither it nor a pattern of it" }
        if aspect == .lifecycle, policy.background != .coalesce, policy.background != .end {
            return "it passes the background anyway, and can only end the program"
        }
        if aspect != .lifecycle, policy.background == .end { return "only the policy of lifecycle can end the program" }
        let isMode = policy.background == .immediate || policy.background == .end
        guard !isMode || isCovered else { return "the subscription does not have the aspect" }
        if case .hold(let limit) = policy.background, limit < 1 { return "it must hold at least 1 change" }
        let range = BusInterface.intervalRange
        guard let interval = policy.interval, !range.contains(interval) else { return nil }
        let most = range.upperBound.wholeMilliseconds
        return "the interval must be from 1 millisecond to a year (\(most) milliseconds), not \(interval)"
    }
}
