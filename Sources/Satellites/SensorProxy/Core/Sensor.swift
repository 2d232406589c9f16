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

    /// The property that reports whether the device has the sensor.
    package var presence: SensorProperty {
        switch self {
        case .accelerometer: .hasAccelerometer
        case .light: .hasAmbientLight
        case .proximity: .hasProximity
        }
    }
}

/// A property of `net.hadess.SensorProxy`.
package enum SensorProperty: String, Sendable, Hashable, CaseIterable {
    case hasAccelerometer = "HasAccelerometer"
    case accelerometerOrientation = "AccelerometerOrientation"
    case accelerometerTilt = "AccelerometerTilt"
    case hasAmbientLight = "HasAmbientLight"
    case lightLevelUnit = "LightLevelUnit"
    case lightLevel = "LightLevel"
    case hasProximity = "HasProximity"
    case proximityNear = "ProximityNear"

    package var signature: String {
        switch self {
        case .hasAccelerometer, .hasAmbientLight, .hasProximity, .proximityNear: "b"
        case .accelerometerOrientation, .accelerometerTilt, .lightLevelUnit: "s"
        case .lightLevel: "d"
        }
    }

    /// Whether the value depends on the device's current sensors, so that the bus must be asked.
    var isPresence: Bool { Sensor.allCases.contains { $0.presence == self } }
}

package enum PropertyValue: Sendable, Hashable {
    case boolean(Bool)
    case text(String)
    case number(Double)
}

package struct PropertyEntry: Sendable, Hashable {
    package var name: String
    package var value: PropertyValue

    package init(_ name: String, _ value: PropertyValue) {
        self.name = name
        self.value = value
    }

    init(_ property: SensorProperty, _ value: PropertyValue) {
        self.init(property.rawValue, value)
    }
}
