// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// The measurement of a sensor, in the words of `net.hadess.SensorProxy`.
package enum Measurement: Sendable, Hashable {
    case orientation(ScreenOrientation, Tilt)
    /// The illuminance in lux.
    case light(Double)
    case isNear(Bool)

    /// The edge of the screen that is up.
    package enum ScreenOrientation: String, Sendable {
        /// The device has not been upright yet.
        case undefined
        /// The top edge is up.
        case normal
        case bottomUp = "bottom-up"
        case leftUp = "left-up"
        case rightUp = "right-up"

        /// Translates the last upright pose: in landscape, the reading names the side where the top edge is.
        init(_ pose: Orientation.Pose?) {
            self =
                switch pose {
                case .portrait: .normal
                case .portraitUpsideDown: .bottomUp
                // The right edge is up.
                case .landscapeLeft: .rightUp
                case .landscapeRight: .leftUp
                case .unknown, .faceUp, .faceDown, nil: .undefined
                }
        }
    }

    /// The direction of the screen; the bus has no poses for `tilted-up` and `tilted-down`.
    package enum Tilt: String, Sendable {
        case undefined
        case vertical
        case faceUp = "face-up"
        case faceDown = "face-down"
    }

    /// Translates a reading; `nil` for a sensor that is missing or has not been read.
    ///
    /// A device that lies flat keeps its last upright orientation.
    package init?(_ reading: Reading) {
        switch reading {
        case .orientation(let orientation):
            let tilt: Tilt
            switch orientation.pose {
            case .unknown: return nil
            case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight: tilt = .vertical
            case .faceUp: tilt = .faceUp
            case .faceDown: tilt = .faceDown
            }
            self = .orientation(ScreenOrientation(orientation.planar), tilt)
        case .light(let light):
            guard let lux = light.lux else { return nil }
            self = .light(lux)
        case .proximity(.near): self = .isNear(true)
        case .proximity(.far): self = .isNear(false)
        default: return nil
        }
    }

    /// The values of a sensor without a measurement.
    static func none(of sensor: Sensor) -> Measurement {
        switch sensor {
        case .accelerometer: .orientation(.undefined, .undefined)
        case .light: .light(0)
        case .proximity: .isNear(false)
        }
    }

    var entries: [PropertyEntry] {
        switch self {
        case .orientation(let orientation, let tilt):
            [
                PropertyEntry(.accelerometerOrientation, .text(orientation.rawValue)),
                PropertyEntry(.accelerometerTilt, .text(tilt.rawValue)),
            ]
        case .light(let lux):
            [PropertyEntry(.lightLevelUnit, .text("lux")), PropertyEntry(.lightLevel, .number(lux))]
        case .isNear(let isNear): [PropertyEntry(.proximityNear, .boolean(isNear))]
        }
    }
}
