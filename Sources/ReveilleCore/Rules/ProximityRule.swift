// SPDX-License-Identifier: Apache-2.0

/// Derives the reading, near or far, from a raw value that grows as something comes closer, or from a distance.
///
/// The threshold depends on the previous state: near begins at the near level, as in the kernel's document
/// sysfs-bus-iio, and ends below nine tenths of it. For a distance, the level is nine tenths of where near ends.
package struct ProximityRule: Sendable, Hashable {
    /// The fraction of the near level below which near ends.
    private static let release = 0.9

    /// The smallest raw value that means near, more than 0; or the greatest distance, at least 0.
    package let nearLevel: Double
    private let isDistance: Bool

    /// Creates a rule; fails for a level on whose far side there is no value.
    package init?(nearLevel: Double?, isDistance: Bool = false) {
        guard let nearLevel, nearLevel > 0 || isDistance && nearLevel == 0 else { return nil }
        self.nearLevel = nearLevel
        self.isDistance = isDistance
    }

    package func state(at value: Double, last: Proximity) -> Proximity {
        if isDistance { return value <= (last == .near ? nearLevel / Self.release : nearLevel) ? .near : .far }
        let threshold = last == .near ? nearLevel * Self.release : nearLevel
        return value >= threshold ? .near : .far
    }

    /// Returns whether a label marks a sensor that limits a radio's power, rather than the sensor at the face.
    ///
    /// Such a sensor measures the distance of a body from an antenna or a palm rest (sysfs-bus-iio).
    package static func isForRadio(label: String?) -> Bool {
        let label = SysfsText.trimmed(label ?? "")
        return ["proximity-wifi", "proximity-lte", "proximity-palmrest", "proximity-lap"].contains {
            label == $0 || label.hasPrefix($0 + "-")
        }
    }
}
