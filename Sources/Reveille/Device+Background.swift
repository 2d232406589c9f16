// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Device {
    /// Sends all subscriptions and observations of this device to the background, as
    /// ``Subscription/enterBackground(wakeAfter:)`` does for one.
    ///
    /// ```swift
    /// try await device.enterBackground()
    /// // … the program is not visible …
    /// try await device.enterForeground()
    /// ```
    public func enterBackground(wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await engine.enterBackground(wakeAfter: wakeAfter)
    }

    /// Wakes all subscriptions and observations of this device.
    public func enterForeground() async throws(ReveilleError) {
        try await engine.enterForeground()
    }

    /// Sends another program's subscription to the background, as an operator.
    ///
    /// The operator's hold is independent of the subscriber's own; the subscription wakes when both are cleared.
    ///
    /// ```swift
    /// for subscriber in try await device.subscribers() where subscriber.name == "status-bar" {
    ///     try await device.hold(subscriber.id, wakeAfter: .seconds(60))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - subscription: The identifier of the subscription: its `Subscriber.id`.
    ///   - wakeAfter: A millisecond to a year, after which the hold is cleared automatically; `nil` for no deadline.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noSuchSubscription``, ``ReveilleError/Code/invalidArgument``, or
    ///   ``ReveilleError/Code/notPermitted`` for a subscription of another user.
    public func hold(_ subscription: String, wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await engine.setState(of: subscription, isInBackground: true, wakeAfter: wakeAfter)
    }

    /// Clears the operator's hold of a subscription that ``hold(_:wakeAfter:)`` has set.
    public func release(_ subscription: String) async throws(ReveilleError) {
        try await engine.setState(of: subscription, isInBackground: false, wakeAfter: nil)
    }
}
