// SPDX-License-Identifier: Apache-2.0

/// The numbers that a field can have.
@usableFromInline
package enum NumberRange: Sendable {
    case any
    case notNegative
    case positive
    /// From 0 to 1.
    case level

    @inlinable
    @inline(__always)
    package func contains(_ number: Double) -> Bool {
        switch self {
        case .any: true
        case .notNegative: number >= 0
        case .positive: number > 0
        case .level: 0...1 ~= number
        }
    }
}
