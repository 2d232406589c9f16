// SPDX-License-Identifier: Apache-2.0

/// Three numbers along the axes of a sensor or of the display: to the right, to the top, and out of the display.
package typealias Vector = SIMD3<Double>

extension Vector {
    package var length: Double { (x * x + y * y + z * z).squareRoot() }
}
