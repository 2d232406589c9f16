// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// Values at which arithmetic, conversions and lengths are likely to fail.
package enum Edges {
    /// Integers near the limits of numeric types and of time units.
    package static let integers: [Int64] = {
        let powers: [Int64] = [1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 53]
        let besides = powers.flatMap { (power: Int64) -> [Int64] in [power - 1, power, -power] }
        // Near the numbers of seconds, milliseconds and microseconds that overflow when converted to smaller units.
        let units: [UInt64] = [1_000, 1_000_000, 1_000_000_000]
        let overflows = units.flatMap { (unit: UInt64) -> [UInt64] in
            let (most, mostSigned) = (UInt64.max / unit, UInt64(Int64.max) / unit)
            return [most, most + 1, mostSigned, mostSigned + 1]
        }.compactMap { Int64(exactly: $0) }
        // Including a year in milliseconds and a number with many zeros.
        let plain: [Int64] = [0, 1, -1, 2, 10, 100, 31_536_000_000, 31_536_000_001, 1_000_000_000_000_000_000]
        let ends: [Int64] = [.max, .max - 1, .max / 2, .min, .min + 1]
        return plain + besides + overflows + ends
    }()

    /// Numbers near the limits of a level and of `Double`.
    package static let floats: [JSON] = [
        .number(0), .number(-0.0), .number(0.5), .number(1), .number(1.0000001), .number(-1), .number(1e308),
        .number(.leastNonzeroMagnitude), .integer(0), .integer(1), .integer(.max), .number(9.223372036854775807e18),
    ]

    /// Strings that are not words, or that look like other values.
    package static let strings: [String] = [
        "", " ", "NaN", "nan", "inf", "-Infinity", "null", "0", "-1", "0000000000000000", "ffffffffffffffff", "\u{0}",
        "a\u{0}b", "\u{1B}[2J\n\r\t\u{7F}\u{9F}", "e\u{301}\u{301}\u{301}", "\u{200D}\u{1F3FD}\u{FE0F}",
        "\u{1F1E6}\u{1F1E7}\u{1F1E8}", "\u{FEFF}\u{202E}\u{10FFFF}", "../../etc/passwd", "\"\\\"", "%s%n",
    ]

    /// Names that programs can publish, and patterns of them; few, so that calls concern the same names.
    package static let names = ["org.example.a", "org.example.b", "org.a", "org.example.*", "org.*"]

    /// Domains of settings and patterns of them, some of which are refused.
    package static let domains = [
        "app/a", "app/*", "org.*", "dconf", "dconf:/org/", "other", "*", "dconf:org", "/*", ":/",
    ]

    /// The lengths of long strings, near the limits of a name and of a short frame.
    package static let lengths = [1, 127, 128, 129, 3_900, 4_096]
    /// The lengths of long strings near the maximum frame.
    package static let frameLengths = [65_000, 65_536]

    /// The usual numbers of elements in an array.
    package static let counts = [0, 1, 1, 1, 1, 2, 3, 5]
    /// The number of elements in a rare long array.
    package static let longCount = 300

    /// Returns an object with the given nesting depth.
    package static func nested(_ depth: Int) -> JSON {
        (0..<depth).reduce(JSON.object([:])) { inner, level in
            level % 2 == 0 ? .array([inner]) : ["in": inner]
        }
    }
}
