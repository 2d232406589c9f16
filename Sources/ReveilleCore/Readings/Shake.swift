// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A shake of the device.
///
/// The number of shakes is ``Event/changes``, since each of them counts.
public struct Shake: Sendable, Hashable, Codable {
    /// The greatest acceleration of the last shake in g; 0 before the first.
    public var peak: Double

    /// Creates a reading.
    public init(peak: Double) {
        self.peak = peak
    }

    /// The reading before the first shake.
    public static let unknown = Shake(peak: 0)
}

extension Shake: CustomStringConvertible {
    /// The peak: `2.41 g`.
    public var description: String {
        peak > 0 ? Motion.Vector.rounded(peak) + " g" : "none"
    }
}
