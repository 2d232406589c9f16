// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleCore

/// The domains of the settings to which a command limits itself.
struct DomainOptions: ParsableArguments {
    @Option(
        name: .customLong("domain"),
        help: ArgumentHelp(
            """
            Of the aspect defaults, only this domain: a name, 'app/*' for all names that begin so, or \
            dconf:/org/gnome/desktop/interface/ for the keys below a directory. Can be given several times.
            """, valueName: "domain"))
    var domains: [String] = []

    /// The selected domains, or `nil` for all.
    func selection(for aspects: AspectSet) throws -> DomainSelection? {
        try Self.selection(domains, for: aspects)
    }

    static func selection(_ domains: [String], for aspects: AspectSet) throws -> DomainSelection? {
        guard !domains.isEmpty else { return nil }
        guard aspects.contains(Aspect.defaults) else { throw ValidationError("--domain requires the aspect defaults") }
        do throws(DomainSelection.Refusal) {
            return try DomainSelection(domains)
        } catch {
            throw ValidationError("--domain \(error.domain): \(error.reason)")
        }
    }
}
