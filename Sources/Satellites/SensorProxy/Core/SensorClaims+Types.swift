// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

extension SensorClaims {
    /// An occurrence that the claims react to.
    package enum Input: Sendable, Hashable {
        /// A connection has sent a request; its number is valid until the request is answered or forgotten.
        case request(SensorRequest, from: String, number: Int)
        case left(String)
        /// The bus has answered ``Effect/check`` with the sensors that the device has; `nil` if it could not be asked.
        case checked(Set<Sensor>?)
        /// The subscription to a sensor's aspect has brought a reading; `nil` if the sensor is missing or has not been
        /// read.
        case reading(Sensor, Measurement?)
        /// The subscription to a sensor's aspect has ended, or never began.
        case unfollowed(Sensor)
        /// The bus is reachable, or no longer.
        case reachable(Bool)
        /// The ``SensorClaims/deadline`` has come.
        case expired
    }

    /// A step that the service carries out.
    package enum Effect: Sendable, Hashable {
        case answer(Int, SensorAnswer)
        /// The request is not answered: its sender has left.
        case forget(Int)
        /// Send `PropertiesChanged` to each of the connections.
        case signal([PropertyEntry], to: Set<String>)
        case follow(Sensor)
        case unfollow(Sensor)
        /// Ask the bus which sensors the device has.
        case check
        /// Report ``Input/left(_:)`` of all connections from now on, or no longer.
        case watchCallers(Bool)
        /// Report ``Input/left(_:)`` if a connection has left already.
        case verify(String)
        /// End the program, because the device has no sensors and nobody claims one.
        case end
    }
}

/// One sensor: whether the device has it, its last measurement, and its claims.
struct SensorState {
    /// The time before the first retry of a subscription that the bus refused.
    private static let shortestPause: Duration = .seconds(1)
    /// The longest time between retries: a sensor is missed for a minute at most once the bus has room.
    private static let longestPause: Duration = .seconds(64)

    /// A claim whose answer waits for the first measurement.
    struct Waiting {
        let request: Int
        let caller: String
        let deadline: ContinuousClock.Instant
    }

    /// Whether the device has the sensor, as far as clients know or can ask.
    var isPresent = false
    /// Whether the first measurement announces the sensor's presence to claimants.
    var isUnannounced = false
    var measurement: Measurement?
    /// The connections that have claimed the sensor.
    var callers: Set<String> = []
    /// Whether there is a subscription to its aspect.
    var isFollowed = false
    /// Whether the subscription has brought a reading.
    var hasReading = false
    /// When a subscription that the bus refused is tried again; `nil` if there is none.
    var retry: ContinuousClock.Instant?
    var backoff = Backoff(from: shortestPause, to: longestPause)
    var waiting: [Waiting] = []

    func value(of property: SensorProperty, _ sensor: Sensor) -> PropertyValue? {
        if property == sensor.presence { return .boolean(isPresent) }
        return (measurement ?? .none(of: sensor)).entries.first { $0.name == property.rawValue }?.value
    }

    mutating func lose() {
        isPresent = false
        isUnannounced = false
        measurement = nil
    }
}
