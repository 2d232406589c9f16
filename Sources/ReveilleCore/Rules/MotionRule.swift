// SPDX-License-Identifier: Apache-2.0

/// Turns the values of an accelerometer or a gyroscope into vectors along the axes of the display.
///
/// The sensor's axes are mapped as for the pose: by the mount matrix, and the sign of z that
/// ``OrientationFrame/gravity(_:matrix:isHID:)`` derives from the matrix.
package struct MotionRule: Sendable, Hashable {
    /// The greatest plausible acceleration in g, more than any sensor of a portable device measures.
    private static let accelerationLimit = 1_000.0
    /// The greatest plausible rotation in radians per second, more than ten times the range of usual gyroscopes.
    private static let rotationLimit = 1_000.0

    /// The images of the sensor's axes.
    private let x: Vector
    private let y: Vector
    private let z: Vector
    /// -1 if the map mirrors, otherwise 1.
    private let handedness: Double

    package init(_ frame: OrientationFrame, matrix: MountMatrix, isHID: Bool) {
        func image(_ x: Double, _ y: Double, _ z: Double) -> Vector {
            OrientationFrame.standardGravity
                * frame.gravity(Vector(x: x, y: y, z: z), matrix: matrix, isHID: isHID)
        }
        x = image(1, 0, 0)
        y = image(0, 1, 0)
        z = image(0, 0, 1)
        let normal = Vector(
            x: x.y * y.z - x.z * y.y, y: x.z * y.x - x.x * y.z, z: x.x * y.y - x.y * y.x)
        handedness = (normal * z).sum() < 0 ? -1 : 1
    }

    /// Converts an acceleration in meters per second squared to g; `nil` if it is not plausible.
    package func acceleration(_ sample: Vector) -> Motion.Vector? {
        Self.plausible((1 / OrientationFrame.standardGravity) * image(of: sample), upTo: Self.accelerationLimit)
    }

    /// Converts a rotation in radians per second, whose axis a mirror does not turn; `nil` if it is not plausible.
    package func rotation(_ sample: Vector) -> Motion.Vector? {
        Self.plausible(handedness * image(of: sample), upTo: Self.rotationLimit)
    }

    private func image(of sample: Vector) -> Vector {
        sample.x * x + sample.y * y + sample.z * z
    }

    private static func plausible(_ vector: Vector, upTo limit: Double) -> Motion.Vector? {
        // False for NaN too.
        guard vector.length <= limit else { return nil }
        // Without the sign of a zero.
        return Motion.Vector(x: vector.x + 0, y: vector.y + 0, z: vector.z + 0)
    }
}
