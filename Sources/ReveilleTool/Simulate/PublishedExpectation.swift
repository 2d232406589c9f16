// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleCore
import ReveilleWire
import Varlink

/// The content that a scenario expects of a published name's last event.
struct PublishedExpectation: Equatable {
    /// The expected state.
    enum State: Equatable {
        /// Only the number of changes is compared.
        case any
        case withdrawn
        /// The whole value, in its canonical form.
        case value(JSON)
        /// The value of a member, or of a member of members: `track.title`.
        case member(path: String, value: String)
    }

    let name: Aspect
    let state: State
    /// The number of merged changes; `nil` if it is not compared.
    let changes: Int?

    /// Parses the text after a name; `nil` if it is invalid.
    init?(_ name: Aspect, _ text: Substring) {
        self.name = name
        var rest = text
        var changes: Int?
        let words = text.split(whereSeparator: \.isWhitespace)
        if words.count >= 2, words[words.count - 2] == "changes" {
            guard let count = words.last.flatMap({ Int($0) }), count >= 0 else { return nil }
            changes = count
            rest = rest[..<words[words.count - 2].startIndex]
        }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        self.changes = changes
        if rest.isEmpty {
            guard changes != nil else { return nil }
            state = .any
        } else if rest == "withdrawn" {
            state = .withdrawn
        } else if rest.first == "{" {
            guard let value = try? JSON.parse(Array(rest.utf8)) else { return nil }
            state = .value(value.canonical)
        } else {
            let path = rest.prefix { !$0.isWhitespace }
            let value = rest[path.endIndex...].drop(while: \.isWhitespace)
            guard !value.isEmpty else { return nil }
            state = .member(path: String(path), value: String(value))
        }
    }

    /// Returns whether an event meets the expectation.
    func holds(for event: Event) -> Bool {
        guard changes == nil || changes == event.changes else { return false }
        let value = event.published?.structure ?? .null
        switch state {
        case .any: return true
        case .withdrawn: return value.isNull
        case .value(let expected): return value.bytes == expected.bytes
        case .member(let path, let expected):
            guard let found = Self.member(path, of: value) else { return false }
            if found.stringValue.map({ $0.utf8.elementsEqual(expected.utf8) }) == true { return true }
            return (try? JSON.parse(Array(expected.utf8)))?.canonical.bytes == found.bytes
        }
    }

    /// Returns the same part of the state and the count of an event that does not meet the expectation.
    func found(in event: Event) -> String {
        let value = event.published?.structure ?? .null
        let count = "changes \(event.changes)"
        switch state {
        case .any: return "\(name) \(count)"
        case .member(let path, _) where !value.isNull:
            let found = Self.member(path, of: value)
            return "\(name) \(path) \(found.map { $0.stringValue ?? "\($0)" } ?? "missing") \(count)"
        case .withdrawn, .value, .member: return "\(name) \(value.isNull ? "withdrawn" : "\(value)") \(count)"
        }
    }

    private static func member(_ path: String, of value: JSON) -> JSON? {
        // By bytes: a dot may form a character with the bytes after it.
        path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .reduce(value) { value, name in value?.objectValue?[String(Substring(name))] }
    }
}
