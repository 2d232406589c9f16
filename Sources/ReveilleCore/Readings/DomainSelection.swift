// SPDX-License-Identifier: Apache-2.0

/// The domains of the user's settings that a subscription wants: `app/*`, `dconf:/org/gnome/desktop/interface/`.
///
/// Lists that choose the same domains in another order, or twice, are equal. Names are compared by their bytes.
package struct DomainSelection: Sendable, Hashable {
    /// The reason why a pattern is refused.
    package struct Refusal: Error, Sendable, Hashable {
        package let domain: String
        package let reason: String
    }

    /// The most patterns of one subscription, as for aspects: each is compared with each changed domain.
    package static let limit = 64
    /// The longest pattern in bytes: two names of files, and a directory of keys that is as long.
    package static let lengthLimit = 1_024

    fileprivate struct Pattern: Sendable, Hashable {
        /// The name of the domain, or the start of the names.
        var name: [UInt8]
        var isPrefix: Bool
        /// The start of the keys, which begins and ends with a slash; empty for all keys.
        var directory: [UInt8] = []

        func matches(_ domain: String) -> Bool {
            guard isPrefix else { return domain.utf8.elementsEqual(name) }
            return domain.utf8.count > name.count && domain.utf8.starts(with: name)
        }

        /// Returns whether another pattern chooses nothing that this does not choose.
        func covers(_ other: Pattern) -> Bool {
            let isName = isPrefix ? other.name.starts(with: name) : !other.isPrefix && other.name == name
            // The pattern `a/*` does not choose a domain `a/`, but no file has such a name.
            return isName && other.directory.starts(with: directory)
        }

        var word: String {
            String(
                decoding: name + (isPrefix ? "*" : "").utf8 + (directory.isEmpty ? [] : Array(":".utf8)), as: UTF8.self)
                + String(decoding: directory, as: UTF8.self)
        }
    }

    private let patterns: [Pattern]

    package init(_ words: [String]) throws(Refusal) {
        var patterns: [Pattern] = []
        for word in words { patterns.append(try Pattern(word)) }
        patterns = Array(Set(patterns))
        let kept = patterns.filter { one in !patterns.contains { $0 != one && $0.covers(one) } }
        self.patterns = kept.sorted { $0.word.utf8.lexicographicallyPrecedes($1.word.utf8) }
    }

    /// The patterns as they are written, in order, without those that others include.
    package var words: [String] { patterns.map(\.word) }

    /// Returns the chosen part of all settings; a domain without a key in the chosen directories is not part of it.
    package func part(of settings: Defaults) -> Defaults {
        Defaults(
            domains: settings.domains.compactMap { domain in
                let patterns = patterns.filter { $0.matches(domain.name) }
                guard !patterns.isEmpty else { return nil }
                // It is not known which keys of an opaque domain there are.
                if domain.isOpaque || patterns.contains(where: \.directory.isEmpty) { return domain }
                var part = domain
                part.values = domain.values.filter { key, _ in
                    patterns.contains { key.utf8.starts(with: $0.directory) }
                }
                return part.values.isEmpty ? nil : part
            })
    }

    /// Returns whether changes may affect the chosen part, which was `part` before.
    func mayInclude(_ changes: [SettingsChange], after part: Defaults) -> Bool {
        // A domain that is no longer opaque lists only its new keys.
        if part.domains.contains(where: \.isOpaque) { return true }
        return changes.contains { change in
            patterns.contains { pattern in
                pattern.matches(change.domain)
                    && (pattern.directory.isEmpty || change.isOpaque
                        || change.keys.contains { $0.utf8.starts(with: pattern.directory) })
            }
        }
    }
}

extension DomainSelection.Pattern {
    fileprivate init(_ word: String) throws(DomainSelection.Refusal) {
        func refusal(_ reason: String) -> DomainSelection.Refusal { .init(domain: word, reason: reason) }
        let bytes = Array(word.utf8)
        guard bytes.count <= DomainSelection.lengthLimit else {
            throw refusal("it is longer than \(DomainSelection.lengthLimit) bytes")
        }
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        name = Array(bytes[..<(colon ?? bytes.count)])
        directory = colon.map { Array(bytes[($0 + 1)...]) } ?? []
        isPrefix = name.suffix(2) == Array("/*".utf8) || name.suffix(2) == Array(".*".utf8)
        if isPrefix { name.removeLast() }
        guard name.count > (isPrefix ? 1 : 0) else { throw refusal("it names no domain") }
        guard !name.contains(UInt8(ascii: "*")) else {
            throw refusal("a pattern ends in '/*' or '.*', and has no other '*'")
        }
        let slash = UInt8(ascii: "/")
        guard colon == nil || directory.first == slash && directory.last == slash else {
            throw refusal("a directory of keys, after the colon, begins and ends with '/'")
        }
    }
}
