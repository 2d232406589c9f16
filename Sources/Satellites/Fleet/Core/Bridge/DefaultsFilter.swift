// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The domains of settings that may leave the device.
package struct DefaultsFilter: Sendable, Hashable {
    /// The names and patterns of the domains.
    package let domains: NamePatterns

    /// Creates a filter.
    package init(domains: [String]) {
        self.domains = NamePatterns(domains)
    }

    /// A state of `defaults` without a domain.
    package static let nothing: JSON = ["domains": []]

    /// Returns a state of `defaults` with the allowed domains only; `nil` if none of its domains is allowed.
    ///
    /// Members that a later bus adds beside the domains are left out, since they may name other domains.
    package func allowed(_ value: JSON) -> JSON? {
        let all = value.objectValue?["domains"]?.arrayValue ?? []
        let allowed = all.filter { $0.objectValue?["domain"]?.stringValue.map(domains.contains) == true }
        return allowed.isEmpty ? nil : ["domains": .array(allowed)]
    }
}
