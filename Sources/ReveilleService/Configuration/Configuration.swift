// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import ReveilleWatchers
import ReveilleWire

/// The configuration of a bus; every value has a default.
///
/// ``keys`` has the name and the range of each value.
package struct Configuration: Sendable {
    package var battery = BatteryWatcher.Settings()
    package var proximity = ProximityWatcher.Settings()
    package var orientation = OrientationWatcher.Settings()
    package var light = LightWatcher.Settings()
    package var display = DisplayWatcher.Settings()
    /// The time between samples while all subscribers to a sensor are held.
    package var idleSampleInterval: Duration = .seconds(5)
    package var locale = Locale()
    package var defaults = Defaults()
    /// The folders whose names are watched, in the order of their names.
    package var folders: [ConfiguredFolder] = []
    package var bus = Bus()
    package var publish = Publish()
    package var lifecycle = Lifecycle()
    package var schedule = Schedule()

    package init() {}

    package struct Locale: Sendable {
        /// The files, in order of preference; `nil` for the usual files.
        package var paths: [String]?
    }

    /// Settings for the user's settings files.
    package struct Defaults: Sendable {
        /// Files and directories, where `~` is the home directory; `nil` for the usual paths.
        package var paths: [String]?
        /// The time from the end of a write to the read.
        package var settle: Duration = .milliseconds(50)
        /// How long a deleted or empty file keeps its values.
        package var deletionGrace: Duration = .milliseconds(250)
    }

    package struct Bus: Sendable {
        /// The number of changes kept for each aspect, for the policy `hold` and GetHistory: minutes in the background.
        package var history = 256
        /// The longest frame in bytes, a thousand times the usual call, so no peer can use up memory.
        package var maxFrame = 65_536
        /// The connections of one user other than root: two for each of about thirty programs.
        package var connectionsPerUser = 64
        /// The total number of connections, which fits the usual limit of file descriptors.
        package var connections = 1_024
    }

    package struct Publish: Sendable {
        /// The number of names that one user, including root, may publish at a time: dozens for each of its programs.
        package var names = 1_024
        /// The maximum length of a value in bytes: a state is short, and anything longer is a document.
        package var valueSize = 4_096
        /// The users other than root that may publish on a system bus.
        package var allow: [PublishPermission] = []

        /// The range of ``names``; its maximum takes some hundred megabytes.
        static let nameRange = 1...65_536
        /// The range of ``valueSize``, from an object without members to the longest value that clients send.
        static let valueSizeRange = 2...PublishedValue.sizeLimit
    }

    /// The limits on tasks, which programs finish before they are suspended.
    package struct Lifecycle: Sendable {
        /// The time that a process has for its tasks in the background: enough to finish an upload, as on phones.
        package var taskTime: Duration = .seconds(30)
        /// The number of tasks that one user, including root, may have at a time: some for each program that works.
        package var tasks = 16

        /// The longest ``taskTime`` in seconds: a program that works longer than that is not in the background.
        static let longestTaskTime = 180.0
        /// The range of ``tasks``; each task has a connection.
        static let taskRange = 0...1_000_000
    }

    package struct Schedule: Sendable {
        /// The entries that one user, including root, may have at a time: dozens for each of its programs.
        package var entries = 1_024

        /// The range of ``entries``; at its maximum, the values take some hundred megabytes.
        static let entryRange = 1...65_536
    }
}
