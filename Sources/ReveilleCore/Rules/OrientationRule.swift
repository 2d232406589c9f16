// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The pose at a direction of gravity, steady at the borders between poses.
package enum OrientationRule {
    /// Lengths in g that gravity alone can have; anything else is a knock, a fall or garbage.
    private static let plausible = 0.5...1.5

    /// Tangents of angles: comparing ratios needs no trigonometry.
    private enum Tangent {
        /// 70 degrees of tilt: flat begins.
        static let flat = 2.747_477_4
        /// 60 degrees of tilt: flat ends.
        static let upright = 1.732_050_8
        /// 35.5 degrees: an axis leans, as iio-sensor-proxy has it (more than 35, in whole degrees).
        static let leaning = 0.713_293_1
    }

    /// The reading at a sample.
    ///
    /// - Parameters:
    ///   - gravity: In g, in the axes of ``OrientationFrame/gravity(_:matrix:isHID:)``.
    ///   - last: The reading before it.
    /// - Returns: The reading now; `nil` where the sample says nothing.
    package static func reading(at gravity: Vector, last: Orientation) -> Orientation? {
        guard plausible.contains(gravity.length) else { return nil }
        if let flat = flat(gravity, last.pose) { return Orientation(pose: flat, planar: last.planar) }
        let planar = planar(gravity, last.planar)
        return Orientation(pose: planar, planar: planar)
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
        // Both or neither: between two poses, or too flat to tell.
        if leansSideways == leansLengthwise, let last { return last }
        let isSideways = leansSideways == leansLengthwise ? abs(gravity.x) > abs(gravity.y) : leansSideways
        if isSideways { return gravity.x > 0 ? .landscapeRight : .landscapeLeft }
        return gravity.y > 0 ? .portraitUpsideDown : .portrait
    }

    private static func leans(_ axis: Double, _ other: Double, _ third: Double) -> Bool {
        abs(axis) >= Tangent.leaning * (other * other + third * third).squareRoot()
    }
}
