// SPDX-License-Identifier: Apache-2.0

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
    var isPresence: Bool {
        switch self {
        case .hasAccelerometer, .hasAmbientLight, .hasProximity: true
        case .accelerometerOrientation, .accelerometerTilt, .lightLevelUnit, .lightLevel, .proximityNear: false
        }
    }
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
