// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
import Varlink

extension Configuration {
    /// Settings for the orientation.
    package struct Orientation: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// How long a new pose must last before it is reported; 0 for no delay.
        package var settle: Duration = .milliseconds(400)
        /// The direction of the sensor's axes.
        package var frame = OrientationFrame.auto
        /// The mount matrix; `nil` for the device's own.
        package var matrix: MountMatrix?

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            try section.seconds("sampleInterval", into: &sampleInterval)
            try section.seconds("settle", atLeast: 0, into: &settle)
            try section.text("frame", "auto, hid or iio-doc") { OrientationFrame(rawValue: $0) }
                .map { frame = $0 }
            try section.text("matrix", "nine numbers as in \"1, 0, 0; 0, 1, 0; 0, 0, 1\"") { MountMatrix($0) }
                .map { matrix = $0 }
        }

        var json: JSON {
            [
                "sampleInterval": Configuration.seconds(sampleInterval), "settle": Configuration.seconds(settle),
                "frame": .string(frame.rawValue),
                "matrix": matrix.map { .string($0.description) } ?? .null,
            ]
        }
    }
}
