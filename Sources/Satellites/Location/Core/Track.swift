// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Decides which fixes are published, and when a location is withdrawn.
package struct Track: Sendable {
    /// The time for which a fix is valid.
    ///
    /// Receivers report every second, some every five seconds. A short loss of the satellites, as under a bridge, is
    /// not a change.
    package static let validity: Duration = .seconds(30)

    /// A time on a clock that never stops.
    package typealias Instant = ContinuousClock.Instant

    /// The least distance in meters from the last published fix; 0 publishes every fix that differs from the last.
    private let threshold: Double
    private var published: Fix?
    private var distance = 0.0
    /// The end of the published path, which remains after a withdrawal.
    private var end: Fix?
    private var receiver: String?
    /// When the location must be withdrawn unless another fix is received; `nil` without a location.
    package private(set) var expiry: Instant?

    package init(threshold: Double) {
        self.threshold = threshold
    }

    /// Returns the location to publish after a fix; `nil` if the fix differs too little from the last one.
    ///
    /// While one receiver's fixes are valid, other receivers are ignored, so that the location does not jump between
    /// them.
    package mutating func take(_ fix: Fix, from receiver: String?, at now: Instant) -> Location? {
        if expiry != nil, receiver != self.receiver { return nil }
        self.receiver = receiver
        expiry = now + Self.validity
        if let published, !isChange(from: published, to: fix) { return nil }
        distance += end?.distance(to: fix) ?? 0
        (published, end) = (fix, fix)
        return Location(fix: fix, distance: distance)
    }

    /// Returns whether the location has become invalid and must be withdrawn.
    package mutating func expires(at now: Instant) -> Bool {
        guard let expiry, expiry <= now else { return false }
        return clear()
    }

    /// Forgets the location, but not the path to it, and returns whether there was one to withdraw.
    package mutating func clear() -> Bool {
        defer { (published, expiry, receiver) = (nil, nil, nil) }
        return expiry != nil
    }

    /// Publishes the next fix even if it does not differ, because the bus may not have the last location.
    package mutating func retract() {
        published = nil
    }

    private func isChange(from old: Fix, to new: Fix) -> Bool {
        old.untimed != new.untimed && (old.mode != new.mode || old.distance(to: new) >= threshold)
    }
}

extension Fix {
    /// Returns the distance to another fix in meters along the surface of a sphere: within 0.6 % of the true distance.
    package func distance(to other: Fix) -> Double {
        let radian = Double.pi / 180
        let north = sin((other.latitude - latitude) * radian / 2)
        let east = sin((other.longitude - longitude) * radian / 2)
        let square = north * north + cos(latitude * radian) * cos(other.latitude * radian) * east * east
        // Rounding may exceed 1 between opposite points of the Earth.
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}

/// The published state: a fix, and the length of the path to it; unknown values are `null`.
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
