// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The content that a scenario expects of the last event of an aspect.
struct Expectation: Equatable {
    private enum State: Equatable {
        /// Only the number of changes is compared.
        case any
        case device(DeviceExpectation)
        case published(PublishedExpectation)
    }

    /// The syntax, for error messages.
    static let form = """
        expect ASPECT [FIELD] VALUE [changes COUNT], expect ASPECT changes COUNT, expect defaults DOMAIN [KEY] \
        [changes COUNT], or for a published name: expect NAME MEMBER VALUE, expect NAME OBJECT or \
        expect NAME withdrawn, each with [changes COUNT]
        """

    /// The aspect whose event is compared.
    let aspect: Aspect
    private let state: State
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
        let state: State? =
            if words.isEmpty {
                changes == nil ? nil : .any
            } else if let aspect = aspect.builtIn {
                DeviceExpectation(aspect, words.map { String($0) }).map { .device($0) }
            } else {
                aspect.isPublished ? PublishedExpectation(rest).map { .published($0) } : nil
            }
        guard let state else { return nil }
        (self.aspect, self.state, self.changes) = (aspect, state, changes)
    }

    /// Returns whether an event meets the expectation.
    func holds(for event: Event) -> Bool {
        guard changes == nil || changes == event.changes else { return false }
        return switch state {
        case .any: true
        case .device(let state): state.holds(for: event)
        case .published(let state): state.holds(for: event)
        }
    }

    /// Returns the same part of the state and the count of an event that does not meet the expectation.
    func found(in event: Event) -> String {
        let found =
            switch state {
            case .any: "\(aspect)"
            case .device(let state): "\(aspect) \(state.found(in: event))"
            case .published(let state): "\(aspect) \(state.found(in: event))"
            }
        return "\(found) changes \(event.changes)"
    }
}
