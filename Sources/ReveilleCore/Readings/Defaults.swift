// SPDX-License-Identifier: Apache-2.0

/// The user's settings: the keys of each domain.
///
/// Subscribers read the values from the files.
public struct Defaults: Sendable, Hashable, Codable {
    /// A 64-bit digest of a value, which is the same for equal values in any notation, and across restarts.
    package typealias Fingerprint = UInt64

    /// A settings domain, which is a file.
    public struct Domain: Sendable, Hashable {
        /// The file's name without its extension: `org.example.app`, `.GlobalPreferences`.
        public var name: String
        /// The path of the file as configured or found, without following links.
        public var path: String
        /// The fingerprint of each key's value; for an opaque domain, the fingerprint of the whole file under an empty
        /// key.
        package var values: [String: Fingerprint]
        /// Whether the file has an unknown format, so that only changes of the whole file are detected.
        public var isOpaque: Bool

        package init(name: String, path: String, values: [String: Fingerprint], isOpaque: Bool) {
            self.name = name
            self.path = path
            self.values = values
            self.isOpaque = isOpaque
        }

        /// Creates a domain with keys in any order; an opaque domain has none.
        public init(name: String, path: String, keys: [String], isOpaque: Bool = false) {
            let keys = isOpaque ? [""] : keys
            self.init(
                name: name, path: path, values: Dictionary(keys.map { ($0, 0) }, uniquingKeysWith: { $1 }),
                isOpaque: isOpaque)
        }

        /// The keys in order; empty for an opaque domain.
        public var keys: [String] {
            isOpaque ? [] : values.keys.sorted()
        }
    }

    /// The domains whose files exist, sorted by path.
    public var domains: [Domain]

    /// Creates a reading from domains in any order.
    public init(domains: [Domain]) {
        // By bytes, since paths can differ only in their Unicode normalization.
        self.domains = domains.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}

extension Defaults.Domain: Codable {
    /// Decodes a domain with its keys.
    ///
    /// - Throws: `DecodingError` if a part is missing, or of another type.
    public init(from decoder: any Decoder) throws {
        self.init(try SettingsChange(from: decoder))
    }

    /// Encodes the domain with its keys.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try SettingsChange(self).encode(to: encoder)
    }

    fileprivate init(_ listed: SettingsChange) {
        self.init(name: listed.domain, path: listed.path, keys: listed.keys, isOpaque: listed.isOpaque)
    }
}

extension Defaults: AspectDeclaration {
    /// The number of keys of a domain that are named before the rest is counted.
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

    package static var traits: AspectTraits {
        AspectTraits(sampling: .always, isDefault: true, isReportedInParts: true, place: 11)
    }
    @usableFromInline package static var blank: Defaults { Defaults(domains: []) }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        var listed = ListedSettings(domains: Reading.defaults(self).settings)
        try listed.code(with: &coder)
        self = Defaults(listed)
    }
}

/// The interface's structure `Defaults`, which lists keys; the values of settings are not on the wire.
@usableFromInline
package struct ListedSettings: Sendable {
    @usableFromInline package var domains: [SettingsChange]

    @inlinable
    package init(domains: [SettingsChange]) {
        self.domains = domains
    }
}

extension ListedSettings: Record {
    @usableFromInline package static var blank: ListedSettings { ListedSettings(domains: []) }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.records("domains", &domains)
    }
}

extension SettingsChange: Record {
    @usableFromInline package static var blank: SettingsChange {
        SettingsChange(domain: "", path: "", keys: [], isOpaque: false)
    }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("domain", &domain)
        try coder.string("path", &path)
        coder.accepts("a path that is unique among the domains")
        try coder.strings("keys", &keys)
        coder.accepts("a list of keys")
        try coder.bool("opaque", &isOpaque)
    }
}

extension Defaults {
    @usableFromInline package init(_ listed: ListedSettings) {
        self.init(domains: listed.domains.map(Domain.init))
    }

    /// Whether two domains have the same path.
    package var hasRepeatedPath: Bool { Set(domains.map(\.path)).count < domains.count }
}
