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
