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
    public func enterBackground(wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await engine.enterBackground(wakeAfter: wakeAfter)
    }

    /// Wakes all subscriptions and observations of this device.
    public func enterForeground() async throws(ReveilleError) {
        try await engine.enterForeground(inactive: false)
    }

    /// Makes all subscriptions and observations of this device inactive, as ``Subscription/becomeInactive()`` does for one.
    public func becomeInactive() async throws(ReveilleError) {
        try await engine.enterForeground(inactive: true)
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

    /// Suspends the program behind a subscription: sends it to the background, and freezes its cgroup.
    ///
    /// The program first finishes its tasks, for as long as they have time, and reads the event `suspended` if it subscribes
    /// to `lifecycle`. ``release(_:)`` thaws it.
    ///
    /// ```swift
    /// for subscriber in try await device.subscribers() where subscriber.name == "player" {
    ///     try await device.suspend(subscriber.id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - subscription: The identifier of the subscription: its `Subscriber.id`.
    ///   - wakeAfter: A millisecond to a year, after which the program is thawed and woken automatically; `nil` for no
    ///     deadline.
    /// - Throws: ``ReveilleError``, as ``hold(_:wakeAfter:)`` does, and ``ReveilleError/Code/cannotSuspend`` with the
    ///   reason if the cgroup cannot be frozen, or if the program is woken before. It is in the background all the same.
    public func suspend(_ subscription: String, wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await engine.suspend(subscription, wakeAfter: wakeAfter)
    }

    /// Clears the operator's hold of a subscription that ``hold(_:wakeAfter:)`` or ``suspend(_:wakeAfter:)`` has set.
    ///
    /// A suspended program is thawed first.
    public func release(_ subscription: String) async throws(ReveilleError) {
        try await engine.setState(of: subscription, isInBackground: false, wakeAfter: nil)
    }
}
