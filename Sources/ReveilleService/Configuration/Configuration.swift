// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleCore
import ReveilleSystem
package import ReveilleWatchers
import ReveilleWire

/// The configuration of a bus; ``keys`` has the name and the range of each value.
package struct Configuration: Sendable {
    package var battery = BatteryWatcher.Settings()
    package var proximity = ProximityWatcher.Settings()
    package var orientation = OrientationWatcher.Settings()
    package var light = LightWatcher.Settings()
    package var display = DisplayWatcher.Settings()
    /// The time between samples while all subscribers to a sensor are held.
    package var idleSampleInterval: Duration = .seconds(5)
    /// The aspects that are watched without subscribers too, so that the log has their changes.
    package var watch: AspectSet = [.battery]
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
        /// The connections of one user of a bus for several, other than root: two for each of about thirty programs.
        package var connectionsPerUser = 64
        /// The total number of connections, which fits the usual limit of file descriptors.
        package var connections = 1_024
        /// The connections of one process on its user's own bus: half, so that a program cannot lock out the others.
        var connectionsPerProcess: Int { max(1, connections / 2) }
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
        /// The users other than root whose entries may wake the machine, on a system bus: each wake uses its battery.
        package var wake: [ConfiguredUser] = []

        /// The range of ``entries``; at its maximum, the values take some hundred megabytes.
        static let entryRange = 1...65_536
    }
}

extension Configuration {
    /// The largest configuration file in bytes: far more than a person writes.
    package static let sizeLimit = 1 << 17

    /// Parses a configuration in JSON5; keys that are absent or null keep their defaults.
    package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let top = try ConfigurationSection(parsing: bytes)
        self.init()
        for key in Self.keys { try key.read(top, &self) }
        try top.rejectUnknownKeys()
    }
}

/// The file of a configuration, read at the start and on request.
package struct ConfigurationFile: Sendable, CustomStringConvertible {
    package let path: String
    /// Whether the file need not exist, such as a file that a unit names for its user to create.
    package let isOptional: Bool

    package init(path: String, isOptional: Bool = false) {
        self.path = path
        self.isOptional = isOptional
    }

    /// Reads the file; an optional file that does not exist has all defaults.
    package func read() throws(ConfigurationError) -> Configuration {
        if isMissing { return Configuration() }
        let bytes = try Result { () throws(RequiredFile.Unusable) in
            try RequiredFile.read(path, limit: Configuration.sizeLimit)
        }.mapError { ConfigurationError(key: nil, reason: "\($0)") }.get()
        return try Result { () throws(ConfigurationError) in try Configuration(parsing: bytes) }
            .mapError { ConfigurationError(key: $0.key, reason: $0.reason, file: path) }.get()
    }

    package var description: String {
        isMissing ? "\(path), which does not exist (all defaults)" : path
    }

    /// Only an absence counts: a file that cannot be reached may have values.
    private var isMissing: Bool { isOptional && access(path, F_OK) != 0 && errno == ENOENT }
}
