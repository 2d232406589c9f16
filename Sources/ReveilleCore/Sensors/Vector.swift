// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Three numbers along the axes of a sensor or of the display.
package struct Vector: Sendable, Hashable {
    /// The component to the right.
    package var x: Double
    /// The component to the top.
    package var y: Double
    /// The component out of the display.
    package var z: Double

    /// Creates a vector.
    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The length.
    package var length: Double {
        (x * x + y * y + z * z).squareRoot()
    }

    static func * (factor: Double, vector: Vector) -> Vector {
        Vector(x: factor * vector.x, y: factor * vector.y, z: factor * vector.z)
    }
}
