// SPDX-License-Identifier: Apache-2.0

public import Reveille
import ReveilleCore
import ReveilleLocal

/// Devices for unit tests, which require neither udev nor files.
public enum TestDevice {
    /// Creates an in-memory device without hardware, whose state is set with `Device.post(_:)`.
    ///
    /// Subscriptions sleep, wake and merge changes as on a real device.
    ///
    /// ```swift
    /// let clock = try TestClock()
    /// let device = try await TestDevice.inMemory(clock: clock)
    /// try await device.post(.proximity(.near))
    /// await clock.advance(by: .seconds(8 * 3_600))
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the device's bus in JSON5, as in the file of `reveille serve --config`.
    ///   - clock: The clock of the schedule, of `wakeAfter`, of tasks and of intervals, which only the test moves; `nil`
    ///     for the machine's. Devices can share a clock.
    ///   - zones: The time zones that the schedule knows besides `UTC`, each with a `TZ` string of POSIX, such as
    ///     `CET-1CEST,M3.5.0,M10.5.0/3`. `local` is the device's own, by default UTC.
    /// - Returns: The device.
    /// - Throws: `ReveilleError`: `ReveilleError.Code.invalidArgument` for an invalid configuration or zone;
    ///   `ReveilleError.Code.system` if the system cannot create a thread.
    public static func inMemory(
        configuration: String = "{}", clock: TestClock? = nil, zones: [String: String] = [:]
    ) async throws -> Device {
        var rules = ["local": TimeZoneRules.utc, "UTC": .utc]
        for (name, text) in zones {
            do throws(FormatError) {
                rules[name] = try TimeZoneRules(posix: text)
            } catch {
                throw ReveilleError(.invalidArgument, "time zone \(name): \(error)")
            }
        }
        return try await Device.inMemory(configuration, zones: rules, on: clock?.thread)
    }
}
