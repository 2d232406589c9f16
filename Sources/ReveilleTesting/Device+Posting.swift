// SPDX-License-Identifier: Apache-2.0

public import Reveille

extension Device {
    /// Posts a synthetic state, for tests of subscribers.
    ///
    /// It is valid until the device's own reading changes, or until `refresh()`. Posted settings are delivered with all
    /// their keys.
    ///
    /// ```swift
    /// try await device.post(.proximity(.near))
    /// ```
    ///
    /// - Returns: The position of the posted state; its event has it too.
    /// - Throws: `ReveilleError`: `notPermitted` unless the bus is this user's own or the user is root; `invalidArgument` for
    ///   an impossible state, such as a level above 1.
    @discardableResult
    public func post(_ reading: Reading) async throws -> Revision {
        try await postSynthetic(reading)
    }
}
