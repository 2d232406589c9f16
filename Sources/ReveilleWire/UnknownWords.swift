// SPDX-License-Identifier: Apache-2.0

/// Collects the words of a newer peer that this version does not know, while its structures are decoded.
package final class UnknownWords {
    /// The length limit of a word: enough to recognize it.
    private static let shownLength = 64

    /// The first unknown word and its field: `events.battery.state "swapping"`.
    package private(set) var first: String?

    package init() {}

    func note(_ word: String, in field: String) {
        guard first == nil else { return }
        let shown = String(String.UnicodeScalarView(word.unicodeScalars.prefix(Self.shownLength)))
        first = field + " " + shown.debugDescription
    }
}
