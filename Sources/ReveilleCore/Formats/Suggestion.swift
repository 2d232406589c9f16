// SPDX-License-Identifier: Apache-2.0

package enum Suggestion {
    /// Returns a phrase such as `; did you mean get?`, or an empty string if no word is similar.
    package static func phrase(for text: String, among words: [String]) -> String {
        let text = text.lowercased()
        // One typing error in three letters, or a prefix of the word.
        let limit = max(1, text.count / 3)
        let close = words.filter { word in
            let word = word.lowercased()
            return text.count > 1 && word.hasPrefix(text)
                || abs(word.count - text.count) <= limit && distance(Array(text), Array(word)) <= limit
        }
        return close.isEmpty ? "" : "; did you mean \(list(close))?"
    }

    /// Returns such a phrase with the most similar words alone, for lists of hundreds of words.
    package static func nearest(to text: String, among words: [String]) -> String {
        let letters = Array(text.lowercased())
        let distances = words.map { (word: $0, distance: distance(letters, Array($0.lowercased()))) }
        guard let least = distances.map(\.distance).min(), least <= max(1, letters.count / 3) else { return "" }
        return "; did you mean \(list(distances.filter { $0.distance == least }.map(\.word)))?"
    }

    /// Returns an enumeration: `near, far or unknown`.
    package static func list(_ words: [String], _ conjunction: String = "or") -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    /// Returns the number of insertions, deletions, substitutions and transpositions between two words.
    private static func distance(_ from: [Character], _ to: [Character]) -> Int {
        var rows = [Array(0...to.count)]
        for (row, letter) in from.enumerated() {
            var next = [row + 1]
            for (column, other) in to.enumerated() {
                var cost = min(
                    rows[row][column] + (letter == other ? 0 : 1), rows[row][column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == to[column - 1], other == from[row - 1] {
                    cost = min(cost, rows[row - 1][column - 1] + 1)
                }
                next.append(cost)
            }
            rows.append(next)
        }
        return rows[from.count][to.count]
    }
}
