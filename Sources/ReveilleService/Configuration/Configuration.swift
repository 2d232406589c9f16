// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// What can be set of a bus; every value has a default.
package struct Configuration: Sendable {
    /// How the battery is watched.
    package struct Battery: Sendable {
        /// Between two reads without an event: many drivers send none when only the level drifts.
        package var pollInterval: Duration = .seconds(30)
        /// Between the reads that follow an event: firmware settles over seconds.
        package var settleInterval: Duration = .seconds(1)
        /// The smallest change of the level that is told.
        package var levelStep = 0.01
        /// The least time between two changes of the level alone; 0 for no limit.
        package var levelInterval: Duration = .seconds(60)
    }

    /// How proximity is watched.
    package struct Proximity: Sendable {
        /// Between two samples while somebody is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// The raw value from which on something is near; `nil` for what the device says.
        package var nearLevel: Double?
    }

    /// How the orientation is watched.
    package struct Orientation: Sendable {
        /// Between two samples while somebody is in the foreground.
        package var sampleInterval: Duration = .milliseconds(700)
        /// How long a new pose must stand; 0 for none.
        package var settle: Duration = .milliseconds(400)
        /// Which way the sensor's axes point.
        package var frame = OrientationFrame.auto
        /// The mount matrix; `nil` for what the device says.
        package var matrix: MountMatrix?
    }

    /// Which files say the locale.
    package struct Locale: Sendable {
        /// The files, the first that exists wins; `nil` for the usual ones.
        package var paths: [String]?
    }

    /// Which files are the user's settings.
    package struct Defaults: Sendable {
        /// Files and directories, `~` is the home directory; `nil` for the usual ones.
        package var paths: [String]?
        /// From the end of a write to the read.
        package var settle: Duration = .milliseconds(50)
        /// How long a deleted or empty file keeps its values.
        package var deletionGrace: Duration = .milliseconds(250)
    }

    /// The limits of the bus.
    package struct Bus: Sendable {
        /// Changes kept of each aspect, for the policy `hold`: a background of minutes in full.
        package var history = 256
        /// The longest frame in bytes: a thousand times the usual call, so that no peer makes the bus grow.
        package var maxFrame = 65_536
        /// Connections of one user other than root: two for each of some thirty programs.
        package var connectionsPerUser = 64
        /// Connections in all: what the usual limit of descriptors allows.
        package var connections = 1_024
    }

    /// The section `battery`.
    package var battery = Battery()
    /// The section `proximity`.
    package var proximity = Proximity()
    /// The section `orientation`.
    package var orientation = Orientation()
    /// Between two samples while all subscribers of a sensor are held.
    package var idleSampleInterval: Duration = .seconds(5)
    /// The section `locale`.
    package var locale = Locale()
    /// The section `defaults`.
    package var defaults = Defaults()
    /// The section `bus`.
    package var bus = Bus()

    /// The shortest interval, in seconds: a source that is read more often leaves no time for anything else.
    static let shortestInterval = 0.001
    /// The longest time, in seconds: a year, which is what "never" may mean.
    static let longestInterval = 31_536_000.0

    /// Makes the default configuration.
    package init() {}
}
