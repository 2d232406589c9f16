// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore

extension Device {
    /// Reports the named aspects that have no source yet, and the domains that have no settings yet.
    func reportWaiting(for aspects: [Aspect], of domains: [String]? = nil) async throws {
        let named = Set(aspects.filter { $0.builtIn != nil })
        guard !named.isEmpty else { return }
        for source in try await self.aspects() where named.contains(source.aspect) && !source.isAvailable {
            Console.error("reveille: waiting for a source of \(source.aspect): \(source.source)")
        }
        guard let domains, case .defaults(let settings) = try await get(.defaults).reading else { return }
        for domain in domains {
            // Future keys are not known.
            let names = try DomainSelection([String(domain.prefix { $0 != ":" })])
            guard names.part(of: settings).domains.isEmpty else { continue }
            let hint = Suggestion.nearest(to: domain, among: settings.domains.map(\.name))
            Console.error("reveille: waiting for the domain \(domain), of which there are no settings\(hint)")
        }
    }
}
