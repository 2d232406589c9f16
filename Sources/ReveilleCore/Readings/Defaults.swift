// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The user's settings: which keys each domain has, and a fingerprint of each value.
///
/// The values themselves stay in their files; a subscriber reads them there.
public struct Defaults: Sendable, Hashable, Codable {
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

extension Defaults.Domain: Codable {
    private enum CodingKeys: String, CodingKey {
        case domain
        case path
        case keys
        case opaque
    }

    /// Reads a domain by its keys; their values are not told.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let isOpaque = try container.decode(Bool.self, forKey: .opaque)
        let keys = isOpaque ? [""] : try container.decode([String].self, forKey: .keys)
        self.init(
            name: try container.decode(String.self, forKey: .domain),
            path: try container.decode(String.self, forKey: .path),
            values: Dictionary(keys.map { ($0, 0) }, uniquingKeysWith: { $1 }),
            isOpaque: isOpaque)
    }

    /// Writes the domain with its keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .domain)
        try container.encode(path, forKey: .path)
        try container.encode(keys, forKey: .keys)
        try container.encode(isOpaque, forKey: .opaque)
    }
}

extension Defaults: CustomStringConvertible {
    /// How many keys of a domain are named before the rest is counted.
    private static let namedKeys = 4

    /// The domains with the first of their keys.
    public var description: String {
        guard !domains.isEmpty else { return "no settings" }
        return domains.map { domain in
            if domain.isOpaque { return domain.name + " (opaque)" }
            let shown = domain.keys.prefix(Self.namedKeys).joined(separator: " ")
            let more = domain.keys.count > Self.namedKeys ? " and \(domain.keys.count - Self.namedKeys) more" : ""
            return domain.keys.isEmpty ? domain.name : "\(domain.name): \(shown)\(more)"
        }.joined(separator: "; ")
    }
}
