// SPDX-License-Identifier: Apache-2.0

/// A value of a settings file, independent of the file's format.
///
/// Different notations of a value are the same value: `1`, `1.0` and `1e0` are one number.
package indirect enum SettingsValue: Sendable, Hashable {
    case null
    /// True or false; not a number.
    case bool(Bool)
    case integer(Int128)
    /// A number with a fraction, or outside the range of a format's integers.
    case real(Double)
    case string(String)
    /// A property list's date, in seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    /// A property list's bytes.
    case data([UInt8])
    case array([SettingsValue])
    /// A table; the order of its keys does not matter.
    case dictionary([String: SettingsValue])

    /// The largest number of nested containers: settings have a dozen, and a reader uses stack frames for each.
    package static let depthLimit = 128

    /// The largest number of values in one file; the largest settings files have a few thousand.
    ///
    /// A property list of 100 bytes can stand for billions of values by referring to a list twice within itself.
    package static let countLimit = 50_000
}

extension SettingsValue: CustomStringConvertible {
    /// The value as JSON with sorted keys; dates as numbers, and data as a list of bytes.
    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value), .date(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .data(let value): "\(value)"
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key < $1.key }.map { "\($0.debugDescription):\($1)" }.joined(separator: ",") + "}"
        }
    }
}

extension SettingsValue {
    /// A 64-bit digest that is the same for equal values in any notation, and stays the same across restarts.
    ///
    /// Each part is preceded by its kind and its length, so no two values have the same bytes.
    package var fingerprint: Defaults.Fingerprint {
        var digest = Digest()
        combine(into: &digest)
        return digest.value
    }

    private func combine(into digest: inout Digest) {
        switch self {
        case .null:
            digest.combine(kind: 0)
        case .bool(let value):
            digest.combine(kind: value ? 2 : 1)
        case .integer(let value):
            digest.combine(kind: 3)
            digest.combine(UInt64(truncatingIfNeeded: value))
            digest.combine(UInt64(truncatingIfNeeded: value >> 64))
        case .real(let value):
            // A real number without a fraction is an integer, which also turns -0 into 0.
            if let whole = Int128(exactly: value) { return SettingsValue.integer(whole).combine(into: &digest) }
            digest.combine(kind: 4)
            digest.combine(value.bitPattern)
        case .string(let value):
            digest.combine(kind: 5)
            digest.combine(text: value)
        case .date(let value):
            digest.combine(kind: 6)
            digest.combine(value.bitPattern)
        case .data(let value):
            digest.combine(kind: 7)
            digest.combine(UInt64(value.count))
            digest.combine(bytes: value)
        case .array(let values):
            digest.combine(kind: 8)
            digest.combine(UInt64(values.count))
            for value in values { value.combine(into: &digest) }
        case .dictionary(let values):
            digest.combine(kind: 9)
            digest.combine(UInt64(values.count))
            for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                digest.combine(text: key)
                value.combine(into: &digest)
            }
        }
    }
}

/// The remaining budget for one settings file, so that a small file cannot demand much time or memory.
struct SettingsBudget {
    private var valuesLeft = SettingsValue.countLimit

    /// Counts values, and throws if the file has more than the limit.
    mutating func pay(_ values: Int = 1) throws(FormatError) {
        guard valuesLeft >= values else { throw Self.excess("\(SettingsValue.countLimit) values") }
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

    static func excess(_ limit: String) -> FormatError { FormatError("more than \(limit)", isLimit: true) }

    static func check(depth: Int) throws(FormatError) {
        guard depth <= SettingsValue.depthLimit else {
            throw FormatError("more than \(SettingsValue.depthLimit) levels")
        }
    }
}
