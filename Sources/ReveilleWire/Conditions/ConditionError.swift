// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not a condition, or a condition does not fit the states of an aspect.
package struct ConditionError: Error, Sendable, Hashable {
    package let reason: String
    /// The invalid word, if it may be a misspelling of a candidate; see ``candidates``.
    package let word: String
    /// The valid words in place of the invalid one.
    package let candidates: [String]

    init(_ reason: String, word: String = "", candidates: [String] = []) {
        self.reason = reason
        self.word = word
        self.candidates = candidates
    }
}
