// SPDX-License-Identifier: Apache-2.0

/// What remains of the limits on one settings file, which keep a small file from demanding much time or memory.
struct SettingsBudget {
    private var valuesLeft = SettingsValue.countLimit

    /// Counts values, and throws if the file has more than the limit.
    mutating func pay(_ values: Int = 1) throws(FormatError) {
        guard valuesLeft >= values else { throw FormatError("more than \(SettingsValue.countLimit) values") }
        valuesLeft -= values
    }

    /// The number of bytes of a key beyond ASCII that count as one value, since comparing them takes longer.
    private static let bytesPerValue = 10

    /// Checks a key before it is compared with others, and counts it.
    mutating func pay(forKey key: String) throws(FormatError) {
        if !key.utf8.allSatisfy({ $0 < 0x80 }) { try pay(key.utf8.count / Self.bytesPerValue) }
        guard !CombiningMarks.areTooMany(in: key) else {
            throw FormatError("a key with more than \(CombiningMarks.limit) combining marks in a row")
        }
    }

    static func check(depth: Int) throws(FormatError) {
        guard depth <= SettingsValue.depthLimit else {
            throw FormatError("more than \(SettingsValue.depthLimit) levels")
        }
    }
}
