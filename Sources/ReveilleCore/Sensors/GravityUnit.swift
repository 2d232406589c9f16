// SPDX-License-Identifier: Apache-2.0

/// The length of gravity in the samples of one accelerometer, which reveals knocks, falls and garbage.
///
/// A pose needs only the direction of gravity, so an accelerometer with a wrong scale, or without one, is useful. A
/// constant length is gravity's, while a device that is knocked or falls measures a different length each time.
package struct GravityUnit: Sendable {
    /// The plausible lengths of a sample, in units of gravity.
    private static let plausible = 0.5...1.5
    /// The number of successive samples of one length that prove a scale to be wrong.
    private static let proof = 3
    /// The greatest difference between lengths that count as one, as a fraction.
    private static let tolerance = 0.1

    /// The length of gravity; `nil` before the first sample of an accelerometer whose scale is unknown.
    package private(set) var length: Double?
    /// The length of the latest implausible samples, and their number.
    private var other: (length: Double, count: Int)?
    private var isConfirmed = false

    /// Creates the unit before the first sample; the driver may state that samples are in g.
    package init(isStated: Bool) {
        length = isStated ? 1 : nil
    }

    /// Whether the driver's scale is so wrong that only the direction of samples is known.
    package var isWrong: Bool { isConfirmed && !Self.plausible.contains(length ?? 0) }

    /// Whether the next samples decide whether the scale is wrong, since none was plausible so far.
    package var isInDoubt: Bool { !isConfirmed && other != nil }

    /// Returns gravity in g; `nil` if the sample does not measure gravity alone.
    package mutating func gravity(_ sample: Vector) -> Vector? {
        let measured = sample.length
        guard measured.isFinite, measured > 0 else {
            other = nil
            return nil
        }
        if !Self.plausible.contains(measured / (length ?? measured)) {
            guard isConstant(measured) else { return nil }
            length = measured
        }
        if length == nil { length = measured }
        other = nil
        isConfirmed = true
        return sample / (length ?? measured)
    }

    private mutating func isConstant(_ measured: Double) -> Bool {
        let isSame = other.map { abs(measured - $0.length) <= Self.tolerance * $0.length } ?? false
        let count = isSame ? (other?.count ?? 0) + 1 : 1
        other = (measured, count)
        return count >= Self.proof
    }
}
