// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Collects what a newer peer says that this version has no word for, while its structures are read.
package final class UnknownWords {
    /// How much of a word is kept: enough to recognize it.
    private static let shownLength = 64

    /// The first such word, and the field that it is in: `events.battery.state "swapping"`.
    package private(set) var first: String?

    /// Makes a collection without words.
    package init() {}

    func note(_ word: String, in field: String) {
        guard first == nil else { return }
        let shown = String(String.UnicodeScalarView(word.unicodeScalars.prefix(Self.shownLength)))
        first = field + " " + shown.debugDescription
    }
}
