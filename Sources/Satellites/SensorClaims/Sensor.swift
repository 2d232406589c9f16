// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// A sensor that the clients of `net.hadess.SensorProxy` claim.
package enum Sensor: String, Sendable, Hashable, CaseIterable {
    case accelerometer = "Accelerometer"
    case light = "Light"
    case proximity = "Proximity"

    package var aspect: Aspect {
        switch self {
        case .accelerometer: .orientation
        case .light: .light
        case .proximity: .proximity
        }
    }

    /// The properties of its measurements, in the order of the interface.
    package var measured: [SensorProperty] {
        switch self {
        case .accelerometer: [.accelerometerOrientation, .accelerometerTilt]
        case .light: [.lightLevelUnit, .lightLevel]
        case .proximity: [.proximityNear]
        }
    }

    /// The property that reports whether the device has the sensor.
    package var presence: SensorProperty {
        switch self {
        case .accelerometer: .hasAccelerometer
        case .light: .hasAmbientLight
        case .proximity: .hasProximity
        }
    }
}
