// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleWire
import Varlink

/// The state that a scenario expects of a published name's last event.
enum PublishedExpectation: Equatable {
    case withdrawn
    /// The whole value, in its canonical form.
    case value(JSON)
    /// The value of a member, or of a member of members: `track.title`.
    case member(path: String, value: String)

    /// Parses the text after a name; `nil` if it is invalid.
    init?(_ text: Substring) {
        if text == "withdrawn" {
            self = .withdrawn
        } else if text.first == "{" {
            guard let value = try? JSON.parse(Array(text.utf8)) else { return nil }
            self = .value(value.canonical)
        } else {
            let path = text.prefix { !$0.isWhitespace }
            let value = text[path.endIndex...].drop(while: \.isWhitespace)
            guard !value.isEmpty else { return nil }
            self = .member(path: String(path), value: String(value))
        }
    }

    /// Returns whether an event meets the expectation.
    func holds(for event: Event) -> Bool {
        let value = event.published?.structure ?? .null
        switch self {
        case .withdrawn: return value.isNull
        case .value(let expected): return value.bytes == expected.bytes
        case .member(let path, let expected):
            guard let found = Self.member(path, of: value) else { return false }
            if found.stringValue.map({ $0.utf8.elementsEqual(expected.utf8) }) == true { return true }
            return (try? JSON.parse(Array(expected.utf8)))?.canonical.bytes == found.bytes
        }
    }

    /// Returns the same part of the state of an event that does not meet the expectation.
    func found(in event: Event) -> String {
        let value = event.published?.structure ?? .null
        guard case .member(let path, _) = self, !value.isNull else {
            return value.isNull ? "withdrawn" : "\(value)"
        }
        return "\(path) \(Self.member(path, of: value).map { $0.stringValue ?? "\($0)" } ?? "missing")"
    }

    private static func member(_ path: String, of value: JSON) -> JSON? {
        // By bytes: a dot may form a character with the bytes after it.
        path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .reduce(value) { value, name in value?.objectValue?[String(Substring(name))] }
    }
}
