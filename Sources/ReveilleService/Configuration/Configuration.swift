// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// The configuration of a bus; every value has a default.
package struct Configuration: Sendable {
    /// Settings for the battery.
    package struct Battery: Sendable {
        /// The time between reads without an event; many drivers send none when only the level drifts.
        package var pollInterval: Duration = .seconds(30)
        /// The time between the reads that follow an event, since firmware takes seconds to settle.
        package var settleInterval: Duration = .seconds(1)
        /// The smallest change of the level that is reported, from 0 to 1.
        package var levelStep = 0.01
        /// The shortest time between changes of the level only; 0 for no limit.
        package var levelInterval: Duration = .seconds(60)
    }

    /// Settings for proximity.
    package struct Proximity: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// The smallest raw value that means near; `nil` for the device's own level.
        package var nearLevel: Double?
    }

    /// Settings for the orientation.
    package struct Orientation: Sendable {
        /// The time between samples while a subscriber is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// How long a new pose must last before it is reported; 0 for no delay.
        package var settle: Duration = .milliseconds(400)
        /// The direction of the sensor's axes.
        package var frame = OrientationFrame.auto
        /// The mount matrix; `nil` for the device's own.
        package var matrix: MountMatrix?
    }

    /// Settings for the locale.
    package struct Locale: Sendable {
        /// The files, of which the first that exists is used; `nil` for the usual ones.
        package var paths: [String]?
    }

    /// Settings for the user's settings files.
    package struct Defaults: Sendable {
        /// Files and directories, where `~` is the home directory; `nil` for the usual ones.
        package var paths: [String]?
        /// The time from the end of a write to the read.
        package var settle: Duration = .milliseconds(50)
        /// How long a deleted or empty file keeps its values.
        package var deletionGrace: Duration = .milliseconds(250)
    }

    /// Limits of the bus.
    package struct Bus: Sendable {
        /// The number of changes kept for each aspect, for the policy `hold`: minutes in the background.
        package var history = 256
        /// The longest frame in bytes, a thousand times the usual call, so no peer can use up memory.
        package var maxFrame = 65_536
        /// The connections of one user other than root: two for each of about thirty programs.
        package var connectionsPerUser = 64
        /// The total number of connections, which fits the usual limit of file descriptors.
        package var connections = 1_024
    }

    /// The section `battery`.
    package var battery = Battery()
    /// The section `proximity`.
    package var proximity = Proximity()
    /// The section `orientation`.
    package var orientation = Orientation()
    /// The time between samples while all subscribers to a sensor are held.
    package var idleSampleInterval: Duration = .seconds(5)
    /// The section `locale`.
    package var locale = Locale()
    /// The section `defaults`.
    package var defaults = Defaults()
    /// The section `bus`.
    package var bus = Bus()

    /// The shortest interval in seconds; reading a source more often would leave no time for anything else.
    static let shortestInterval = 0.001
    /// The longest time in seconds: a year, which can stand for "never".
    static let longestInterval = 31_536_000.0

    /// Creates the default configuration.
    package init() {}
}
