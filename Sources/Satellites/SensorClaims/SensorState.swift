// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

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

    func value(of property: SensorProperty, _ sensor: Sensor) -> PropertyValue {
        if property == sensor.presence { return .boolean(isPresent) }
        let entries = (measurement ?? .none(of: sensor)).entries
        // Each sensor's measurement has all of its properties.
        return entries.first { $0.name == property.rawValue }?.value ?? .boolean(false)
    }

    mutating func lose() {
        isPresent = false
        isUnannounced = false
        measurement = nil
    }
}
