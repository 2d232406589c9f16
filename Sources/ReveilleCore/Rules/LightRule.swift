// SPDX-License-Identifier: Apache-2.0

/// Derives the illuminance from a sensor's values, and decides which changes are reported.
package struct LightRule: Sendable, Hashable {
    /// The most lux that a value can mean; direct sunlight has 120,000.
    package static let limit = 1_000_000.0
    /// The smallest relative change that is reported, below which light is perceived as constant.
    private static let relativeStep = 0.1
    /// The smallest change in lux that is reported, so that darkness does not flicker.
    private static let step = 1.0

    /// The number that is added to a raw value first.
    package let offset: Double
    /// The lux of one raw unit; more than 0.
    package let scale: Double

    /// Creates a rule; `nil` for a scale that is not positive, since every value would be dark.
    package init?(offset: Double, scale: Double) {
        guard offset.isFinite, scale.isFinite, scale > 0 else { return nil }
        self.offset = offset
        self.scale = scale
    }

    /// Returns the illuminance for a raw value; `nil` for a value that no light has.
    package func lux(_ raw: Double) -> Double? {
        let lux = (raw + offset) * scale
        return 0...Self.limit ~= lux ? lux : nil
    }

    /// Returns whether a reading differs so much from the last report that it is reported.
    package static func isReported(_ light: Light, after last: Light?) -> Bool {
        guard let last, let lux = light.lux, let lastLux = last.lux else { return light != last }
        return abs(lux - lastLux) >= max(step, relativeStep * lastLux)
    }
}
