// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Scrolls content by the tilt of the device, as if it slid over the display.
///
/// A pure value that takes samples and their times. The content moves in ticks of a fixed length, so irregular samples
/// do not affect the movement.
struct TiltScroll {
    /// The time of a tick, in microseconds.
    static let tick: Int64 = 30_000
    /// The longest time without samples that ticks make up for, in microseconds: longer than a lost sample, shorter
    /// than a stay in the background.
    static let patience: Int64 = 500_000
    /// The largest tilt that is ignored, as the sine of its angle: hands are never still.
    private static let still = 0.02
    /// The gain of speed in a tick at full tilt.
    private static let gain = 0.005
    /// The part of the speed that remains after a tick without tilt.
    private static let slide = 0.8
    /// The greatest speed, in parts of the content per tick.
    private static let fastest = 0.05

    /// The position of the display in the content, from 0 to 1 along each axis.
    private(set) var offset: (x: Double, y: Double)
    /// The speed, in parts of the content per tick.
    private(set) var speed = (x: 0.0, y: 0.0)
    /// The angle at which the device rests, between upright and flat, in radians.
    private let rest: Double
    /// The time up to which ticks have been made; `nil` before the first sample.
    private var time: Int64?

    /// Creates the scrolling of content.
    ///
    /// - Parameters:
    ///   - offset: The first position.
    ///   - rest: A sample in the resting position; `nil` for 45 degrees.
    init(offset: (x: Double, y: Double) = (0.5, 0.5), rest: Motion.Vector? = nil) {
        self.offset = offset
        self.rest = rest.map { Self.angle(of: $0) } ?? .pi / 4
    }

    /// Takes a sample, and makes the ticks up to its time.
    ///
    /// - Returns: The number of ticks.
    @discardableResult
    mutating func take(_ acceleration: Motion.Vector, at now: Timestamp) -> Int {
        let now = now.microseconds
        guard let last = time, now - last <= Self.patience, now >= last else {
            time = now
            speed = (0, 0)
            return 0
        }
        let ticks = (now - last) / Self.tick
        time = last + ticks * Self.tick
        let tilt = tilt(of: acceleration)
        for _ in 0..<ticks {
            Self.move(&offset.x, &speed.x, by: tilt.x)
            Self.move(&offset.y, &speed.y, by: tilt.y)
        }
        return Int(ticks)
    }

    /// Returns how far the device is tilted from its resting position: to the right, and from flat to upright.
    private func tilt(of acceleration: Motion.Vector) -> (x: Double, y: Double) {
        let length = acceleration.length
        guard length > 0 else { return (0, 0) }
        return (acceleration.x / length, sin(rest - Self.angle(of: acceleration)))
    }

    /// Returns the angle of the device in radians: 0 if upright, a quarter turn if on its back.
    private static func angle(of acceleration: Motion.Vector) -> Double {
        atan2(-acceleration.z, -acceleration.y)
    }

    private static func move(_ offset: inout Double, _ speed: inout Double, by tilt: Double) {
        speed = abs(tilt) > still ? speed + tilt * gain : speed * slide
        speed = min(max(speed, -fastest), fastest)
        let next = offset + speed
        offset = min(max(next, 0), 1)
        // At its ends, the content stops.
        if next != offset { speed = 0 }
    }
}
