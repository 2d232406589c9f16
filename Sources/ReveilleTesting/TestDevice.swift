// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import Reveille

/// Devices for unit tests, which need neither udev nor files.
public enum TestDevice {
    /// Makes a device in memory that has no hardware, and knows what is posted to it.
    ///
    /// It is a bus as every other: subscriptions sleep, wake and merge as they do on a real one. `Device.post(_:)`
    /// changes it.
    ///
    /// - Throws: `ReveilleError` where the system has no room for a thread.
    public static func inMemory() async throws(ReveilleError) -> Device {
        try await Device.inMemory()
    }
}
