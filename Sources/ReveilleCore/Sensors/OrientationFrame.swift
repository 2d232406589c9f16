// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Which way a sensor's numbers point, once its mount matrix is applied.
///
/// The kernel's document wants the reaction to gravity (upright: y is +9.81), HID sensors and most
/// matrices as they ship give gravity itself (upright: y is -9.81), and they differ on z. The result is
/// gravity in g: upright portrait y = -1, right edge up x = -1, flat with the display up z = -1.
package enum OrientationFrame: String, Sendable, CaseIterable {
    /// Gravity in x and y, as matrices are tuned; z by the matrix and the kind of sensor.
    case auto
    /// Gravity on every axis, as HID usage tables have it.
    case hid
    /// The reaction to gravity on every axis, as the kernel's mount-matrix document has it.
    case iioDocument = "iio-doc"

    /// Standard gravity, in metres per second squared.
    package static let standardGravity = 9.80665

    /// Sensors behind a HID sensor hub, by the name that the kernel gives them.
    package static let hidNames: Set<String> = ["accel_3d", "gravity"]

    /// Gravity in g.
    ///
    /// - Parameters:
    ///   - sample: What the sensor reads, in metres per second squared, in its own axes.
    ///   - matrix: How it is mounted.
    ///   - isHID: Whether its name is one of ``hidNames``.
    /// - Returns: Gravity in the axes of the display.
    package func gravity(_ sample: Vector, matrix: MountMatrix, isHID: Bool) -> Vector {
        var gravity = (1 / Self.standardGravity) * matrix.applied(to: sample)
        switch self {
        case .hid: break
        case .iioDocument: gravity = -1 * gravity
        case .auto:
            // A matrix that mirrors leads from the reaction to gravity; one that only turns leaves z as it was.
            let mirrors = matrix.determinant < 0
            gravity.z *= mirrors != isHID ? 1 : -1
        }
        return gravity
    }
}
