// SPDX-License-Identifier: Apache-2.0

/// Recognizes a shake, by the thresholds of Square's Seismic: strong acceleration during most of half a second.
package struct ShakeRule: Sendable {
    /// The acceleration in g above which a sample is strong: 13 m/s².
    private static let strong = 1.33
    /// The share of strong samples that is a shake.
    private static let share = 0.75
    private static let window: Duration = .milliseconds(500)
    /// The shortest shake; a tap is shorter.
    private static let shortest: Duration = .milliseconds(250)
    private static let fewest = 4
    /// The time after a shake during which no other shake begins.
    private static let lockout: Duration = .seconds(1)
    /// The lowest sample rate, per second, at which shakes are recognized: a little below the rate at rest.
    package static let lowestRate = 18.0

    /// The time between samples of a device at rest: 20 a second.
    package static let restingInterval: Duration = .milliseconds(50)
    /// The time between samples of a device that moves: 50 a second.
    private static let movingInterval: Duration = .milliseconds(20)
    /// The difference from gravity in g that is a movement.
    private static let movement = 0.15
    /// How long the device counts as moving after a movement.
    private static let alertness: Duration = .seconds(1)

    private var samples: [(time: Instant, length: Double)] = []
    private var lastShake: Instant?
    private var lastMovement: Instant?
    private var counted: (since: Instant, samples: Int)?
    /// The number of samples in the last whole second; `nil` before.
    package private(set) var rate: Double?

    package init() {}

    /// Takes the length of an acceleration in g, at a time that does not decrease; returns the shake that it completes.
    package mutating func take(_ length: Double, at now: Instant) -> Shake? {
        measure(at: now)
        if abs(length - 1) > Self.movement { lastMovement = now }
        samples.append((now, length))
        samples.removeAll { now - $0.time > Self.window }
        if let lastShake, now - lastShake < Self.lockout { return nil }
        guard let first = samples.first, now - first.time >= Self.shortest, samples.count >= Self.fewest,
            Double(samples.count) >= Self.lowestRate * ((now - first.time) / .seconds(1)),
            Double(samples.count { $0.length > Self.strong }) >= Self.share * Double(samples.count)
        else { return nil }
        lastShake = now
        return Shake(peak: samples.reduce(0) { max($0, $1.length) })
    }

    /// Returns the time until the next sample, which is shorter while the device moves.
    package func interval(at now: Instant) -> Duration {
        guard let lastMovement, now - lastMovement < Self.alertness else { return Self.restingInterval }
        return Self.movingInterval
    }

    private mutating func measure(at now: Instant) {
        guard let counted, now - counted.since < .seconds(2) else {
            self.counted = (now, 0)
            return
        }
        self.counted?.samples += 1
        guard now - counted.since >= .seconds(1) else { return }
        rate = Double(counted.samples + 1) / ((now - counted.since) / .seconds(1))
        self.counted = (now, 0)
    }
}
