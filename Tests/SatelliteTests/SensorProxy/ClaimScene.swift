// SPDX-License-Identifier: Apache-2.0

import ReveilleSensorProxyCore

/// Claims with a clock that tests move.
struct ClaimScene {
    private(set) var claims = SensorClaims()
    private(set) var now = ContinuousClock.now
    private(set) var lastNumber = 0

    init(present: Set<Sensor>) {
        _ = claims.begin()
        _ = handle(.checked(present))
    }

    var deadline: SensorClaims.Instant? { claims.deadline }

    mutating func handle(_ input: SensorClaims.Input) -> [SensorClaims.Effect] {
        claims.handle(input, at: now)
    }

    /// Sends a request, which gets the next number.
    mutating func request(_ request: SensorRequest, from caller: String) -> [SensorClaims.Effect] {
        lastNumber += 1
        return handle(.request(request, from: caller, number: lastNumber))
    }

    /// Claims a sensor that is present, whose first reading arrives.
    mutating func claim(_ sensor: Sensor, from caller: String, reading: Measurement) {
        let effects = request(.claim(sensor), from: caller)
        if effects.contains(.check) {
            let present = Sensor.allCases.filter { claims.value(of: $0.presence) == .boolean(true) }
            _ = handle(.checked(Set(present)))
        }
        _ = handle(.reading(sensor, reading))
    }

    /// Moves the clock, and returns what is due then.
    mutating func wait(_ duration: Duration) -> [SensorClaims.Effect] {
        now += duration
        return handle(.expired)
    }

    func value(_ property: SensorProperty) -> PropertyValue { claims.value(of: property) }

    static let upright = [
        PropertyEntry("AccelerometerOrientation", .text("normal")),
        PropertyEntry("AccelerometerTilt", .text("vertical")),
    ]

    static func light(_ lux: Double) -> [PropertyEntry] {
        [PropertyEntry("LightLevelUnit", .text("lux")), PropertyEntry("LightLevel", .number(lux))]
    }
}
