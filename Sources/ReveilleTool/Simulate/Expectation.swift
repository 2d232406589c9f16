// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// The content that a scenario expects of the last event of an aspect.
struct Expectation {
    let aspect: Aspect
    /// The state; `nil` if only the number of changes is compared.
    private let state: (any StateExpectation)?
    /// The number of merged changes; `nil` if it is not compared.
    private let changes: Int?

    /// Parses the text after `expect`; `nil` if it is invalid or no event can meet the expectation.
    init?(_ text: Substring) {
        let word = text.prefix { !$0.isWhitespace }
        guard let aspect = Aspect(String(word)) else { return nil }
        var rest = text[word.endIndex...].drop(while: \.isWhitespace)
        var words = rest.split(whereSeparator: \.isWhitespace)
        var changes: Int?
        if words.count >= 2, words[words.count - 2] == "changes" {
            guard let count = words.last.flatMap({ Int($0) }), count >= 0 else { return nil }
            changes = count
            rest = rest[..<words[words.count - 2].startIndex]
            words.removeLast(2)
        }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        let state: (any StateExpectation)? =
            if let builtIn = aspect.builtIn {
                DeviceExpectation(builtIn, words.map { String($0) })
            } else {
                aspect.isPublished ? PublishedExpectation(rest) : nil
            }
        guard state != nil || words.isEmpty && changes != nil else { return nil }
        (self.aspect, self.state, self.changes) = (aspect, state, changes)
    }

    func holds(for event: Event) -> Bool {
        (changes == nil || changes == event.changeCount) && state?.holds(for: event) != false
    }

    /// Returns the same part of the state and the count of an event that does not meet the expectation.
    func found(in event: Event) -> String {
        "\(aspect) \(state.map { $0.found(in: event) + " " } ?? "")changes \(event.changeCount)"
    }
}

/// The state that a scenario expects of the last event of an aspect.
protocol StateExpectation {
    func holds(for event: Event) -> Bool
    /// Returns the same part of the state of an event that does not meet the expectation.
    func found(in event: Event) -> String
}

/// The state that a scenario expects of a published name's last event.
private enum PublishedExpectation: StateExpectation {
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
