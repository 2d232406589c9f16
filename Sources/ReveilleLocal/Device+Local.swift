// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Reveille
package import ReveilleCore
import ReveilleHost
import ReveilleService
package import ReveilleSystem

extension Device {
    /// Watches the device in this process, without a separate bus.
    ///
    /// Use it for the only program on a device, or on a machine without a bus. Other processes cannot see it, and it
    /// saves no state.
    ///
    /// ```swift
    /// let device = try await Device.local()
    /// for try await battery in device.updates(of: .battery) { print(battery.state) }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The path of a configuration file, as for `reveille serve --config`; `nil` for the defaults.
    ///   - logger: The log of the device, and of the bus inside.
    /// - Returns: The device, once its files have been read.
    /// - Throws: ``/Reveille/ReveilleError``: ``/Reveille/ReveilleError/Code/invalidArgument`` for an invalid configuration.
    public static func local(
        configuration: String? = nil, logger: Logger = Logger(label: "reveille")
    ) async throws -> Device {
        try await local(configuration: configuration, logger: logger, root: "")
    }

    /// Watches the device below a directory that stands for `/` in the paths of locale and settings files.
    package static func local(
        configuration: String? = nil, logger: Logger = Logger(label: "reveille"), root: String
    ) async throws(ReveilleError) -> Device {
        let settings = try Result { () throws(ConfigurationError) in
            try configuration.map { path throws(ConfigurationError) in try ConfigurationFile(path: path).read() }
                ?? Configuration()
        }.mapError { ReveilleError(.invalidArgument, "\($0)") }.get()
        return try await starting(settings, .own(root: root), logger: logger)
    }

    /// Creates a device without sources, which has only posted states, for tests; the configuration is in JSON5.
    ///
    /// It has the clocks of the thread.
    package static func inMemory(
        _ configuration: String = "{}", zones: [String: TimeZoneRules] = ["UTC": .utc], on thread: LoopThread? = nil
    ) async throws(ReveilleError) -> Device {
        let settings = try Result { () throws(ConfigurationError) in
            try Configuration(parsing: Array(configuration.utf8))
        }.mapError { ReveilleError(.invalidArgument, "\($0)") }.get()
        return try await starting(settings, nil, zones: zones, on: thread)
    }

    /// Starts a bus on the device's thread; without files it has no sources.
    private static func starting(
        _ configuration: Configuration, _ files: FileLocations?, zones: [String: TimeZoneRules] = ["UTC": .utc],
        logger: Logger = Logger(label: "reveille"), on thread: LoopThread? = nil
    ) async throws(ReveilleError) -> Device {
        try await starting(
            { thread, logger throws(SystemError) in
                try WatchedBus(
                    loop: thread.loop, time: thread.time, manager: ServiceManager(loop: thread.loop),
                    configuration: configuration, files: files, state: nil,
                    schedule: ScheduleServices(rules: zones), version: "local", logger: logger)
            }, logger: logger, on: thread)
    }
}

extension WatchedBus: HostedBus {
    package func stop() { server.stop() }
}
