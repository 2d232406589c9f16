// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore

extension Device {
    /// Says which of the named aspects have no source, and which domains no settings: nothing comes of them until they do.
    func reportWaiting(for aspects: [Aspect], of domains: [String]? = nil) async throws {
        let named = Set(aspects.filter { $0.builtIn != nil })
        guard !named.isEmpty else { return }
        for source in try await self.aspects() where named.contains(source.aspect) && !source.isAvailable {
            Console.error("reveille: waiting for a source of \(source.aspect): \(source.source)")
        }
        guard let domains, case .defaults(let settings) = try await get(.defaults).reading else { return }
        for domain in domains {
            // Which keys are to come is not known.
            let names = try DomainSelection([String(domain.prefix { $0 != ":" })])
            guard names.part(of: settings).domains.isEmpty else { continue }
            let hint = Suggestion.nearest(to: domain, among: settings.domains.map(\.name))
            Console.error("reveille: waiting for the domain \(domain), of which there are no settings\(hint)")
        }
    }
}
