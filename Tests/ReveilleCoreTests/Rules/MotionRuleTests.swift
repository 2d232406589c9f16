// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

/// The axes of motion, by devices.
@Suite struct MotionRuleTests {
    private static let gravity = OrientationFrame.standardGravity

    private static func rule(_ matrix: String = "", isHID: Bool, _ frame: OrientationFrame = .auto) throws -> MotionRule
    {
        MotionRule(frame, matrix: try #require(MountMatrix(matrix)), isHID: isHID)
    }

    private static func isClose(_ vector: Motion.Vector?, _ x: Double, _ y: Double, _ z: Double) -> Bool {
        guard let vector else { return false }
        return abs(vector.x - x) < 1e-9 && abs(vector.y - y) < 1e-9 && abs(vector.z - z) < 1e-9
    }

    /// Upright, and turned clockwise by 90 degrees each; on its back, on its right and its display.
    private static let poses: [(Double, Double, Double)] = [
        (0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, 0, -1), (0, 0, 1),
    ]

    @Test("B130: a HID sensor has the axes of the display") func hidAcceleration() throws {
        let rule = try Self.rule(isHID: true)
        for (x, y, z) in Self.poses {
            let sample = Vector(x: x, y: y, z: z) * Self.gravity
            #expect(Self.isClose(rule.acceleration(sample), x, y, z))
        }
    }

    @Test("B130: a matrix that mirrors turns the reaction of a raw chip into gravity") func mirroredAcceleration()
        throws
    {
        let rule = try Self.rule("-1, 0, 0; 0, -1, 0; 0, 0, -1", isHID: false)
        for (x, y, z) in Self.poses {
            let reaction = Vector(x: -x, y: -y, z: -z) * Self.gravity
            #expect(Self.isClose(rule.acceleration(reaction), x, y, z))
        }
    }

    @Test("B139: a HID gyroscope has the axes of the display") func hidRotation() throws {
        let quarterTurn = Double.pi / 2
        let rule = try Self.rule(isHID: true)
        #expect(Self.isClose(rule.rotation(Vector(x: 0, y: 0, z: quarterTurn)), 0, 0, quarterTurn))
        #expect(Self.isClose(rule.rotation(Vector(x: 1, y: 2, z: 3)), 1, 2, 3))
    }

    @Test(
        "B140: counterclockwise is positive z, however the chip is mounted",
        arguments: [
            // The matrix, and the raw values of a counterclockwise rotation of 1 rad/s about the axis out of the display.
            ("-1, 0, 0; 0, -1, 0; 0, 0, -1", (0.0, 0.0, 1.0)),
            ("0, -1, 0; -1, 0, 0; 0, 0, 1", (0.0, 0.0, -1.0)),
            ("1, 0, 0; 0, 1, 0; 0, 0, -1", (0.0, 0.0, 1.0)),
            ("1, 0, 0; 0, 1, 0; 0, 0, 1", (0.0, 0.0, 1.0)),
        ])
    func counterclockwiseIsPositive(matrix: String, raw: (Double, Double, Double)) throws {
        let rule = try Self.rule(matrix, isHID: false)
        #expect(Self.isClose(rule.rotation(Vector(x: raw.0, y: raw.1, z: raw.2)), 0, 0, 1))
    }

    @Test("B140: rotation follows from acceleration: of two directions, their cross product") func rotationIsAnAxis()
        throws
    {
        let matrices = [
            "1, 0, 0; 0, 1, 0; 0, 0, 1", "-1, 0, 0; 0, -1, 0; 0, 0, -1", "0, 1, 0; 1, 0, 0; 0, 0, 1",
            "0, 0, 1; 1, 0, 0; 0, 1, 0", "0, -1, 0; 1, 0, 0; 0, 0, 1",
        ]
        for frame in OrientationFrame.allCases {
            for (matrix, isHID) in matrices.flatMap({ [($0, true), ($0, false)] }) {
                let rule = try Self.rule(matrix, isHID: isHID, frame)
                let axes = [Vector(x: 1, y: 0, z: 0), Vector(x: 0, y: 1, z: 0), Vector(x: 0, y: 0, z: 1)]
                let images = try axes.map { try #require(rule.acceleration($0 * Self.gravity)) }
                // A rotation about z moves x toward y.
                let (x, y) = (images[0], images[1])
                let cross = (x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
                #expect(Self.isClose(rule.rotation(axes[2]), cross.0, cross.1, cross.2), "\(frame) \(matrix) \(isHID)")
            }
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, 1e10]) func implausibleValuesAreRejected(
        value: Double
    ) throws {
        for matrix in ["", "1e300, 0, 0; 0, 1, 0; 0, 0, 1", "1, 1, 1; 1, 1, 1; 1, 1, 1"] {
            for frame in OrientationFrame.allCases {
                let rule = try Self.rule(matrix, isHID: false, frame)
                #expect(rule.acceleration(Vector(x: value, y: 0, z: 0)) == nil)
                #expect(rule.rotation(Vector(x: value, y: 0, z: 0)) == nil)
            }
        }
    }
}
