// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The light around the device.
public struct Light: Sendable, Hashable, Codable {
    /// The illuminance in lux; `nil` without a sensor.
    public var lux: Double?

    /// Creates a reading.
    public init(lux: Double?) {
        self.lux = lux
    }

    /// The reading of a device without a sensor.
    public static let unknown = Light(lux: nil)
}

extension Light: CustomStringConvertible {
    /// The illuminance: `120 lux`.
    public var description: String {
        guard let lux else { return "unknown" }
        // A tenth of a lux is visible only in the dark, and a posted value may not fit an integer.
        return (lux < 10 ? "\((lux * 10).rounded() / 10)" : lux < 1e15 ? "\(Int(lux.rounded()))" : "\(lux)") + " lux"
    }
}
