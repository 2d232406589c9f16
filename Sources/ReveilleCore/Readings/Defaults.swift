// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The user's settings: which keys each domain has, and a fingerprint of each value.
///
/// The values themselves stay in their files; a subscriber reads them there.
public struct Defaults: Sendable, Hashable {
    /// A 64-bit digest of a value, the same for equal values whatever their notation, also after a restart.
    public typealias Fingerprint = UInt64

    /// One settings domain: a file.
    public struct Domain: Sendable, Hashable {
        /// The file's name without its extension: `org.example.app`, `.GlobalPreferences`.
        public var name: String
        /// The file, as configured or found, links not followed.
        public var path: String
        /// The fingerprint of each key's value.
        ///
        /// An opaque domain has the fingerprint of its whole file, under the empty key.
        public var values: [String: Fingerprint]
        /// The format is not read, only that the file changed.
        public var isOpaque: Bool

        /// Makes a domain of its parts.
        public init(name: String, path: String, values: [String: Fingerprint], isOpaque: Bool) {
            self.name = name
            self.path = path
            self.values = values
            self.isOpaque = isOpaque
        }

        /// The keys that a subscriber may be told, sorted; none of an opaque domain.
        public var keys: [String] {
            isOpaque ? [] : values.keys.sorted()
        }
    }

    /// The domains whose files exist, by path.
    public var domains: [Domain]

    /// Makes a reading of its domains.
    public init(domains: [Domain]) {
        self.domains = domains.sorted { $0.path < $1.path }
    }
}
