// SPDX-License-Identifier: Apache-2.0

extension Device {
    /// Sends all subscriptions and observations of this device to the background, as
    /// ``Subscription/enterBackground(wakeAfter:)`` does for one.
    ///
    /// ```swift
    /// try await device.enterBackground()
    /// // … the program is not visible …
    /// try await device.enterForeground()
    /// ```
    ///
    /// - Throws: ``ReveilleError``, as ``Subscription/enterBackground(wakeAfter:)`` does. Those after the one that
    ///   failed keep their state.
    public func enterBackground(wakeAfter: Duration? = nil) async throws {
        try await engine.enterBackground(wakeAfter: wakeAfter)
    }

    /// Wakes all subscriptions and observations of this device.
    ///
    /// - Throws: ``ReveilleError``, as ``Subscription/enterForeground()`` does. Those after the one that failed keep
    ///   their state.
    public func enterForeground() async throws {
        try await engine.enterForeground(inactive: false)
    }

    /// Makes all subscriptions and observations of this device inactive, as ``Subscription/becomeInactive()`` does for one.
    ///
    /// - Throws: ``ReveilleError``, as ``Subscription/becomeInactive()`` does. Those after the one that failed keep
    ///   their state.
    public func becomeInactive() async throws {
        try await engine.enterForeground(inactive: true)
    }
}
