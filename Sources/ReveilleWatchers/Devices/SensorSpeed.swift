// SPDX-License-Identifier: Apache-2.0

/// Determines whether a sensor is quick enough to be read on the loop.
///
/// A driver may block a read for seconds, and the loop must not wait for it. Therefore, a sensor's speed is unknown at
/// first, and also after a change of pace: a sensor that rests between reads takes time to wake up. A few quick reads
/// on a separate thread show that the sensor is quick.
package struct SensorSpeed {
    /// The longest time of a quick read, in microseconds.
    ///
    /// A bus such as I2C answers within a millisecond, and the connections of the service do not notice two.
    private static let limit: Int64 = 2_000
    /// The number of successive quick reads after which a sensor is quick.
    ///
    /// At five seconds each, the reads of a sensor without an awake subscriber cost extra wake-ups for 15 seconds.
    private static let trial = 3

    private var quickReads = 0

    package init() {}

    /// Whether the sensor may be read on the loop.
    package var isQuick: Bool { quickReads >= Self.trial }

    /// Returns whether a read that took so many microseconds is quick.
    package static func isQuick(_ microseconds: Int64) -> Bool { microseconds <= limit }

    /// Takes the duration of a read into account, in microseconds.
    package mutating func note(_ microseconds: Int64) {
        quickReads = Self.isQuick(microseconds) ? min(quickReads + 1, Self.trial) : 0
    }

    package mutating func restart() {
        quickReads = 0
    }
}
