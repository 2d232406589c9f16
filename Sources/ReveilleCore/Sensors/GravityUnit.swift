// SPDX-License-Identifier: Apache-2.0

/// The length of gravity in the samples of one accelerometer, which reveals knocks, falls and garbage.
///
/// A pose needs only the direction of gravity, so an accelerometer with a wrong scale, or without one, is useful.
/// Samples that agree are gravity's, while a device that is knocked or falls measures something else each time. Once a
/// scale has proved right, samples that do not fit say nothing, however often they are repeated.
package struct GravityUnit: Sendable {
    /// The plausible lengths of a sample, in units of gravity.
    private static let plausible = 0.5...1.5
    /// The number of samples that prove a scale: successive ones that agree, or that fit a scale that was measured.
    private static let proof = 3
    /// The greatest difference between samples that agree, as a fraction of their length.
    private static let tolerance = 0.1

    private let isStated: Bool
    /// The length of gravity; `nil` before the first sample of an accelerometer whose scale is unknown.
    package private(set) var length: Double?
    /// The number of samples that fit the length, at most ``proof``.
    private var fits = 0
    /// The latest of the samples that do not fit the length, and the number of those that agree with it.
    private var other: (sample: Vector, count: Int)?

    /// Creates the unit before the first sample; the driver may state that samples are in g.
    package init(isStated: Bool) {
        self.isStated = isStated
        length = isStated ? 1 : nil
    }

    /// Whether the driver's scale is so wrong that only the direction of samples is known.
    package var isWrong: Bool { fits > 0 && !Self.plausible.contains(length ?? 0) }

    /// Whether the next samples decide whether the scale is wrong, since none was plausible so far.
    package var isInDoubt: Bool { fits == 0 && other != nil }

    /// Returns gravity in g; `nil` if the sample does not measure gravity alone.
    package mutating func gravity(_ sample: Vector) -> Vector? {
        let measured = sample.length
        guard measured.isFinite, measured > 0 else {
            other = nil
            return nil
        }
        if !Self.plausible.contains(measured / (length ?? measured)) {
            guard mayBecome(measured), isRepeated(sample) else { return nil }
            length = isStated && Self.plausible.contains(measured) ? 1 : measured
            fits = Self.proof
        }
        let length = length ?? measured
        self.length = length
        other = nil
        fits = min(fits + 1, Self.proof)
        return sample / length
    }

    /// Returns whether the length may still be another: a stated scale is right from its first plausible sample on.
    private func mayBecome(_ measured: Double) -> Bool {
        if isStated, length == 1 { return fits == 0 }
        return fits < Self.proof || isStated && Self.plausible.contains(measured)
    }

    private mutating func isRepeated(_ sample: Vector) -> Bool {
        let agrees = other.map { (sample - $0.sample).length <= Self.tolerance * $0.sample.length } ?? false
        let count = agrees ? (other?.count ?? 0) + 1 : 1
        other = (sample, count)
        return count >= Self.proof
    }
}
