// SPDX-License-Identifier: Apache-2.0

/// The direction of a sensor's values after its mount matrix is applied.
///
/// The kernel's document specifies the reaction to gravity (upright: y is +9.81). HID sensors and most shipped matrices
/// give gravity itself (upright: y is -9.81), and differ in z. The result is gravity in g: y = -1 for upright portrait,
/// x = -1 with the right edge up, z = -1 flat with the display up.
package enum OrientationFrame: String, Sendable, CaseIterable {
    /// Gravity in x and y, the axes that matrices are tuned for; z depends on the matrix and the kind of sensor.
    case auto
    /// Gravity on every axis, as in the HID usage tables.
    case hid
    /// The reaction to gravity on every axis, as in the kernel's mount-matrix document.
    case iioDocument = "iio-doc"

    /// Standard gravity, in meters per second squared.
    package static let standardGravity = 9.80665

    /// The names that the kernel gives sensors behind a HID sensor hub.
    package static let hidNames: Set<String> = ["accel_3d", "gravity"]

    /// Converts a sample in meters per second squared to gravity in g, in the axes of the display.
    ///
    /// A sensor is behind a HID sensor hub if its name is in ``hidNames``.
    package func gravity(_ sample: Vector, matrix: MountMatrix, isHID: Bool) -> Vector {
        var gravity = (1 / Self.standardGravity) * matrix.applied(to: sample)
        switch self {
        case .hid: break
        case .iioDocument: gravity = -gravity
        case .auto:
            // A mirroring matrix also turns the reaction into gravity; a pure rotation leaves z unchanged.
            let mirrors = matrix.determinant < 0
            gravity.z *= mirrors != isHID ? 1 : -1
        }
        return gravity
    }
}
