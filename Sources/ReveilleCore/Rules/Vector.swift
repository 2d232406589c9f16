// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Three numbers along the axes of a sensor or of the display.
public struct Vector: Sendable, Hashable {
    /// To the right.
    public var x: Double
    /// To the top.
    public var y: Double
    /// Out of the display.
    public var z: Double

    /// Makes a vector of its parts.
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Its length.
    public var length: Double {
        (x * x + y * y + z * z).squareRoot()
    }

    static func * (factor: Double, vector: Vector) -> Vector {
        Vector(x: factor * vector.x, y: factor * vector.y, z: factor * vector.z)
    }
}
