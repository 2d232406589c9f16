// SPDX-License-Identifier: Apache-2.0

public import Reveille

/// Devices for unit tests, which require neither udev nor files.
public enum TestDevice {
    /// Creates an in-memory device without hardware, whose state is set with `Device.post(_:)`.
    ///
    /// Subscriptions sleep, wake and merge changes as on a real device.
    ///
    /// ```swift
    /// let device = try await TestDevice.inMemory()
    /// try await device.post(.proximity(.near))
    /// ```
    ///
    /// - Throws: `ReveilleError` if the system cannot create a thread.
    public static func inMemory() async throws(ReveilleError) -> Device {
        try await Device.inMemory()
    }
}
