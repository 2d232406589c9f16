// SPDX-License-Identifier: Apache-2.0

/// Derives the reading from the direction of gravity, with hysteresis between poses.
package enum OrientationRule {
    /// Tangents of angles, which allow comparing ratios without trigonometry.
    private enum Tangent {
        /// 70 degrees of tilt: from here on, the pose becomes flat.
        static let flat = 2.747_477_4
        /// 60 degrees of tilt, below which the pose is no longer flat.
        static let upright = 1.732_050_8
        /// 35.5 degrees: from here on, an axis leans, as in iio-sensor-proxy (more than 35, in whole degrees).
        static let leaning = 0.713_293_1
    }

    /// Returns the reading for the direction of gravity, of any length, after the last reading.
    ///
    /// Its axes are those of ``OrientationFrame/gravity(_:matrix:isHID:)``.
    package static func reading(at gravity: Vector, last: Orientation) -> Orientation {
        if let flat = flat(gravity, last.pose) { return Orientation(pose: flat, planar: last.planar) }
        let planar = planar(gravity, last.planar)
        return Orientation(pose: planar, planar: planar)
    }

    /// The cosine of the smallest large turn, 45 degrees: half the angle between two poses.
    private static let largeTurn = 0.707_106_8

    /// Returns whether gravity has turned far enough to show that the device was turned, and not only moved.
    package static func isLargeTurn(from: Vector, to: Vector) -> Bool {
        (from * to).sum() <= largeTurn * from.length * to.length
    }

    private static func flat(_ gravity: Vector, _ last: Orientation.Pose) -> Orientation.Pose? {
        let pose: Orientation.Pose = gravity.z < 0 ? .faceUp : .faceDown
        let along = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
        let tangent = last == pose ? Tangent.upright : Tangent.flat
        return abs(gravity.z) >= tangent * along ? pose : nil
    }

    private static func planar(_ gravity: Vector, _ last: Orientation.Pose?) -> Orientation.Pose {
        let leansSideways = leans(gravity.x, gravity.y, gravity.z)
        let leansLengthwise = leans(gravity.y, gravity.x, gravity.z)
        // Both or neither: the pose is between two others, or too flat to determine.
        if leansSideways == leansLengthwise, let last { return last }
        let isSideways = leansSideways == leansLengthwise ? abs(gravity.x) > abs(gravity.y) : leansSideways
        if isSideways { return gravity.x > 0 ? .landscapeRight : .landscapeLeft }
        return gravity.y > 0 ? .portraitUpsideDown : .portrait
    }

    private static func leans(_ axis: Double, _ other: Double, _ third: Double) -> Bool {
        abs(axis) >= Tangent.leaning * (other * other + third * third).squareRoot()
    }
}
