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
            guard let fault = policy.fault(of: aspect, among: aspects) else { continue }
            throw ReveilleError(.invalidArgument, "the policy of \(aspect): \(fault.reason)")
        }
    }
}
