// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A value of a settings file, whatever the file's format.
///
/// Two notations of the same value are the same value: `1`, `1.0` and `1e0` are one number.
package indirect enum SettingsValue: Sendable, Hashable {
    /// JSON's null.
    case null
    /// True or false; not a number.
    case bool(Bool)
    /// A whole number.
    case integer(Int128)
    /// A number with a fraction, or beyond the whole ones that a format has.
    case real(Double)
    /// Text.
    case string(String)
    /// A property list's date, in seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    /// A property list's bytes.
    case data([UInt8])
    /// A list.
    case array([SettingsValue])
    /// A table; its order is none.
    case dictionary([String: SettingsValue])

    /// How deep values may nest.
    ///
    /// Settings have a dozen levels at most; every level is a few frames of stack for who reads them.
    package static let depthLimit = 128

    /// How many values one file may have.
    ///
    /// A property list of 100 bytes can stand for billions of them, by naming a list twice in itself. The
    /// largest settings files have some thousands.
    package static let countLimit = 50_000
}

extension SettingsValue {
    /// The same 64 bits for equal values, whatever their notation, after a restart too.
    ///
    /// Each part is told with its kind and its length, so that no two values give the same bytes.
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
            // The whole numbers that a double holds are whole numbers; this makes -0 a 0 as well.
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
