// SPDX-License-Identifier: Apache-2.0

/// A position that a receiver has measured.
package struct Fix: Sendable, Hashable {
    /// The number of dimensions, as it is published.
    package enum Mode: String, Sendable {
        /// The altitude was not measured.
        case flat = "2d"
        /// The altitude was measured.
        case full = "3d"
    }

    package var mode: Mode
    /// Degrees north of the equator, -90 to 90.
    package var latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    package var longitude: Double
    /// Meters above mean sea level.
    package var altitude: Double?
    /// Meters a second over ground.
    package var speed: Double?
    /// Degrees clockwise from true north, 0 to less than 360.
    package var course: Double?
    /// The estimated horizontal error in meters.
    package var accuracy: Double?
    /// The estimated vertical error in meters.
    package var verticalAccuracy: Double?
    /// When the fix was measured, in microseconds since 1970, UTC.
    package var time: Int64?
}

extension Fix {
    /// The fix without its time: equal for as long as the receiver reports the same values.
    var untimed: Fix {
        var fix = self
        fix.time = nil
        return fix
    }
}
