// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

@testable import Tilt

@Suite(.timeLimit(.minutes(10))) struct TiltTests {
    private var scroll = TiltScroll()
    private var now: Int64 = 1_000_000

    /// Gravity for a device that is tilted, in degrees from upright and to the right.
    private static func gravity(_ angle: Double, right: Double = 0) -> Motion.Vector {
        // Small rotations, so that a table of sines is enough.
        let (sine, cosine) = (sines[angle] ?? 0, sines[90 - angle] ?? 0)
        let side = sines[abs(right)] ?? 0
        let rest = sines[90 - abs(right)] ?? 1
        return Motion.Vector(x: right < 0 ? -side : side, y: -cosine * rest, z: -sine * rest)
    }

    private static let sines: [Double: Double] = [
        0: 0, 15: 0.258_819, 25: 0.422_618, 30: 0.5, 45: 0.707_107, 60: 0.866_025, 65: 0.906_308, 75: 0.965_926, 90: 1,
    ]

    private mutating func hold(_ gravity: Motion.Vector, ticks: Int) {
        for _ in 0..<ticks {
            now += TiltScroll.tick
            scroll.take(gravity, at: Timestamp(microseconds: now))
        }
    }

    @Test("B153: at 45 degrees, the speed is 0") mutating func restIsStill() {
        hold(Self.gravity(45), ticks: 100)
        #expect(abs(scroll.speed.x) < 0.02 && abs(scroll.speed.y) < 0.02)
        #expect(scroll.offset == (0.5, 0.5))
    }

    @Test("B154: tilted to the left, the offset falls, and stops at 0") mutating func leftTiltEndsAtZero() {
        var last = scroll.offset.x
        hold(Self.gravity(45, right: -30), ticks: 2)
        for _ in 0..<10 {
            hold(Self.gravity(45, right: -30), ticks: 1)
            #expect(scroll.offset.x < last || scroll.offset.x == 0)
            last = scroll.offset.x
        }
        hold(Self.gravity(45, right: -30), ticks: 100)
        #expect(scroll.offset.x == 0 && scroll.speed.x == 0)
        #expect(scroll.offset.y == 0.5)
        hold(Self.gravity(45, right: 30), ticks: 200)
        #expect(scroll.offset.x == 1)
    }

    @Test("B155: a reversed tilt slows the content before it turns") mutating func reversedTiltSlowsFirst() {
        hold(Self.gravity(45, right: 30), ticks: 8)
        var last = scroll.speed.x
        #expect(last > 0)
        var positions = [scroll.offset.x]
        while last > 0 {
            hold(Self.gravity(45, right: -30), ticks: 1)
            #expect(scroll.speed.x < last)
            last = scroll.speed.x
            positions.append(scroll.offset.x)
        }
        #expect(positions.count > 3)
        #expect(zip(positions.dropLast(), positions.dropFirst().dropLast()).allSatisfy { $0 <= $1 })
    }

    @Test("B156: a calibrated flat rest has the same speeds as 45 degrees") mutating func calibratedRest() {
        hold(Self.gravity(45), ticks: 1)
        hold(Self.gravity(60), ticks: 10)
        let usual = scroll.speed.y
        scroll = TiltScroll(rest: Self.gravity(75))
        hold(Self.gravity(75), ticks: 1)
        hold(Self.gravity(90), ticks: 10)
        #expect(usual < 0)
        #expect(abs(scroll.speed.y - usual) < 1e-4)
    }

    @Test("B157: a lost sample does not stop the ticks") mutating func lostSampleIsMadeUpFor() {
        hold(Self.gravity(45), ticks: 1)
        now += 3 * TiltScroll.tick
        #expect(scroll.take(Self.gravity(45), at: Timestamp(microseconds: now)) == 3)
    }

    @Test("B158: there are no ticks in the background") mutating func backgroundHasNoTicks() {
        hold(Self.gravity(45, right: 30), ticks: 5)
        let offset = scroll.offset
        now += 60_000_000
        #expect(scroll.take(Self.gravity(45, right: 30), at: Timestamp(microseconds: now)) == 0)
        #expect(scroll.offset == offset)
        // Also if the clock was set back.
        #expect(scroll.take(Self.gravity(45, right: 30), at: Timestamp(microseconds: 5)) == 0)
    }

    @Test(arguments: [Double.nan, .infinity, 0, 1e300]) mutating func hostileSamplesDoNotTrap(value: Double) {
        hold(Motion.Vector(x: value, y: value, z: value), ticks: 50)
        hold(Self.gravity(45), ticks: 50)
        #expect((0...1).contains(scroll.offset.x))
    }

    @Test("the program scrolls as the phone is tilted") func programScrolls() throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus()
        try phone.accelerate(x: -0.5, y: -0.6, z: -0.6)
        let tilt = try RunningExample("Tilt", on: phone)
        let line = try #require(tilt.nextLine())
        #expect((line.split(separator: " ").first.flatMap { Double($0) } ?? 1) < 0.5)
        withExtendedLifetime(bus) {}
    }
}
