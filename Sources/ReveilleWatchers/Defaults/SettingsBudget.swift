// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// What one file may still have, so that a small one cannot ask for much.
struct SettingsBudget {
    private var valuesLeft = SettingsValue.countLimit

    /// Pays for values.
    ///
    /// - Throws: `FileProblem` when the file has more than are read.
    mutating func pay(_ values: Int = 1) throws(FileProblem) {
        guard valuesLeft >= values else { throw Self.tooLong }
        valuesLeft -= values
    }

    /// Checks how many containers are in each other.
    static func check(depth: Int) throws(FileProblem) {
        guard depth <= SettingsValue.depthLimit else {
            throw FileProblem(reason: "nests deeper than \(SettingsValue.depthLimit) levels")
        }
    }

    /// How many bytes of keys beyond ASCII cost as much as one value: to compare them takes that much longer.
    private static let bytesPerValue = 10

    /// Checks a key before it is compared with others, and pays for it.
    mutating func pay(forKey key: String) throws(FileProblem) {
        if !key.utf8.allSatisfy({ $0 < 0x80 }) { try pay(key.utf8.count / Self.bytesPerValue) }
        guard !CombiningMarks.areTooMany(in: key) else {
            throw FileProblem(reason: "has a key with more than \(CombiningMarks.limit) combining marks in a row")
        }
    }

    static var tooLong: FileProblem {
        FileProblem(reason: "has more than \(SettingsValue.countLimit) values")
    }
}
