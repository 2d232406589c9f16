// SPDX-License-Identifier: Apache-2.0

/// The published state: a fix, and the length of the path to it.
///
/// Every member is present; unknown values are `null`.
package struct Location: Sendable, Hashable {
    package var fix: Fix
    /// The length in meters of the path through all published fixes since the program was started.
    package var distance: Double
}

extension Location: Encodable {
    private enum Key: String, CodingKey {
        case mode, latitude, longitude, altitude, speed, course, accuracy, verticalAccuracy, time, distance
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(fix.mode.rawValue, forKey: .mode)
        try members.encode(fix.latitude, forKey: .latitude)
        try members.encode(fix.longitude, forKey: .longitude)
        try members.encode(fix.altitude, forKey: .altitude)
        try members.encode(fix.speed, forKey: .speed)
        try members.encode(fix.course, forKey: .course)
        try members.encode(fix.accuracy, forKey: .accuracy)
        try members.encode(fix.verticalAccuracy, forKey: .verticalAccuracy)
        try members.encode(fix.time, forKey: .time)
        // Centimeters: more digits would be noise.
        try members.encode((distance * 100).rounded() / 100, forKey: .distance)
    }
}

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

    /// The fix without its time: equal for as long as the receiver reports the same values.
    var untimed: Fix {
        var fix = self
        fix.time = nil
        return fix
    }
}
