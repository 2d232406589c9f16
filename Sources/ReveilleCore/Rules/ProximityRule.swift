// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Near or far, from a raw value that grows as something comes closer.
///
/// The threshold depends on the state, not on the value before: near from the near level on, as the
/// kernel's sysfs-bus-iio document has it, and far below nine tenths of it. So a value that rests anywhere
/// gives one answer.
package struct ProximityRule: Sendable, Hashable {
    /// The part of the near level below which near ends.
    private static let release = 0.9

    /// The raw value from which on something is near; more than 0.
    package let nearLevel: Double

    /// Makes a rule; `nil` for a level that no value could be below.
    package init?(nearLevel: Double?) {
        guard let nearLevel, nearLevel > 0 else { return nil }
        self.nearLevel = nearLevel
    }

    /// The state at a value.
    package func state(at value: Double, last: Proximity) -> Proximity {
        let threshold = last == .near ? nearLevel * Self.release : nearLevel
        return value >= threshold ? .near : .far
    }

    /// Whether a label marks a sensor that is there for the radio's power, not the one at the face.
    ///
    /// Such a sensor measures how close a body is to an antenna or a palm rest (sysfs-bus-iio).
    package static func isForRadio(label: String?) -> Bool {
        let label = SysfsText.trimmed(label ?? "")
        return ["proximity-wifi", "proximity-lte", "proximity-palmrest", "proximity-lap"].contains {
            label == $0 || label.hasPrefix($0 + "-")
        }
    }
}
