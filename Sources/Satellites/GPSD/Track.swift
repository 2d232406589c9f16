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

    /// Publishes the next fix even if it does not differ, because the last location did not reach the bus.
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
