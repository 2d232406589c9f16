// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing

/// B76: the seven poses, and their stability at borders.
@Suite struct OrientationRuleTests {
    private func pose(
        _ x: Double, _ y: Double, _ z: Double, after last: Orientation = .unknown
    ) -> Orientation {
        OrientationRule.reading(at: Vector(x: x, y: y, z: z), last: last)
    }

    @Test(
        arguments: [
            (0, -1, 0, Orientation.Pose.portrait), (0, 1, 0, .portraitUpsideDown), (-1, 0, 0, .landscapeLeft),
            (1, 0, 0, .landscapeRight), (0, 0, -1, .faceUp), (0, 0, 1, .faceDown),
        ] as [(Double, Double, Double, Orientation.Pose)])
    func gravityDeterminesThePose(x: Double, y: Double, z: Double, expected: Orientation.Pose) {
        #expect(pose(x, y, z).pose == expected)
    }

    @Test func flatKeepsTheLastUprightPose() {
        let upright = pose(-1, 0, 0)
        #expect(pose(0, 0, -1, after: upright) == Orientation(pose: .faceUp, planar: .landscapeLeft))
        #expect(pose(0, 0, -1) == Orientation(pose: .faceUp, planar: nil))
    }

    @Test func betweenTwoPosesTheLastOneStays() {
        let portrait = Orientation(pose: .portrait, planar: .portrait)
        for (x, y, expected) in [
            (183.0, -256.0, Orientation.Pose.portrait), (176, -256, .portrait), (256, -256, .portrait),
            (256, -190, .portrait), (256, -170, .landscapeRight),
        ] {
            #expect(pose(x / 256, y / 256, 0, after: portrait).pose == expected, "\(x) \(y)")
        }
    }

    @Test func withoutALastPoseTheLargerAxisDecides() {
        #expect(pose(0.72, -0.70, 0).pose == .landscapeRight)
        #expect(pose(0.70, -0.72, 0).pose == .portrait)
    }

    @Test func flatBeginsAtSeventyDegreesAndEndsBelowSixty() {
        var last = Orientation(pose: .portrait, planar: .portrait)
        for (y, z, expected) in [
            (-95.0, -238.0, Orientation.Pose.portrait), (-80, -243, .faceUp), (-115, -229, .faceUp),
            (-128, -222, .faceUp), (-150, -207, .portrait),
        ] {
            last = pose(0, y / 256, z / 256, after: last)
            #expect(last.pose == expected, "\(y) \(z)")
        }
    }

    @Test func jitterAtABorderIsAtMostOneChange() {
        var random = SplitMix64(seed: 76)
        var last = Orientation(pose: .portrait, planar: .portrait)
        var changes = 0
        for _ in 0..<1_000 {
            let jitter = (Double(random.next() % 1_000) / 1_000 - 0.5) * 0.06
            let next = pose(0.707 + jitter, -0.707, 0, after: last)
            if next != last { changes += 1 }
            last = next
        }
        #expect(changes <= 1)
    }

    @Test("the length of gravity does not matter", arguments: [1e-9, 0.1, 4, 1e12]) func lengthDoesNotMatter(
        length: Double
    ) {
        #expect(pose(0, -length, 0).pose == .portrait)
        #expect(pose(0.1 * length, 0, -length).pose == .faceUp)
    }

    @Test("a turn by 45 degrees or more is large, whatever the lengths") func largeTurns() {
        let upright = Vector(x: 0, y: -1, z: 0)
        #expect(OrientationRule.isLargeTurn(from: upright, to: Vector(x: -1.4, y: 0, z: 0)))
        #expect(OrientationRule.isLargeTurn(from: upright, to: Vector(x: 0.71, y: -0.70, z: 0)))
        #expect(!OrientationRule.isLargeTurn(from: upright, to: Vector(x: 0.70, y: -0.71, z: 0)))
        #expect(!OrientationRule.isLargeTurn(from: upright, to: Vector(x: 0, y: -0.5, z: 0)))
        #expect(OrientationRule.isLargeTurn(from: upright, to: -upright))
    }
}
