// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Three numbers along the axes of a sensor or of the display.
package struct Vector: Sendable, Hashable {
    /// To the right.
    package var x: Double
    /// To the top.
    package var y: Double
    /// Out of the display.
    package var z: Double

    /// Makes a vector of its parts.
    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Its length.
    package var length: Double {
        (x * x + y * y + z * z).squareRoot()
    }

    static func * (factor: Double, vector: Vector) -> Vector {
        Vector(x: factor * vector.x, y: factor * vector.y, z: factor * vector.z)
    }
}
