// SPDX-License-Identifier: Apache-2.0

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
