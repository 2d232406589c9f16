// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// The content that a scenario expects of the last event of an aspect.
enum Expectation: Equatable {
    case device(DeviceExpectation)
    case published(PublishedExpectation)

    /// The syntax, for error messages.
    static let form = """
        expect ASPECT [FIELD] VALUE [changes COUNT], expect ASPECT changes COUNT, expect defaults DOMAIN [KEY] \
        [changes COUNT], or for a published name: expect NAME MEMBER VALUE, expect NAME OBJECT or \
        expect NAME withdrawn, each with [changes COUNT]
        """

    /// Parses the text after `expect`; `nil` if it is invalid or no event can meet the expectation.
    init?(_ text: Substring) {
        let word = text.prefix { !$0.isWhitespace }
        if let name = Aspect(String(word)), name.isPublished {
            let rest = text[word.endIndex...].drop(while: \.isWhitespace)
            guard let expectation = PublishedExpectation(name, rest) else { return nil }
            self = .published(expectation)
        } else {
            let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let expectation = DeviceExpectation(words) else { return nil }
            self = .device(expectation)
        }
    }

    /// The aspect whose event is compared.
    var aspect: Aspect {
        switch self {
        case .device(let expectation): Aspect(expectation.aspect)
        case .published(let expectation): expectation.name
        }
    }

    /// Returns whether an event meets the expectation.
    func holds(for event: Event) -> Bool {
        switch self {
        case .device(let expectation): expectation.holds(for: event)
        case .published(let expectation): expectation.holds(for: event)
        }
    }

    /// Returns the same part of the state and the count of an event that does not meet the expectation.
    func found(in event: Event) -> String {
        switch self {
        case .device(let expectation): expectation.found(in: event)
        case .published(let expectation): expectation.found(in: event)
        }
    }
}
