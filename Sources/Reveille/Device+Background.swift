// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Device {
    /// Sends everything that this process subscribes to and observes here to the background, as
    /// ``Subscription/enterBackground(wakeAfter:)`` does for one.
    public func enterBackground(wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await engine.enterBackground(wakeAfter: wakeAfter)
    }

    /// Wakes everything that this process subscribes to and observes here.
    public func enterForeground() async throws(ReveilleError) {
        try await engine.enterForeground()
    }

    /// Sends another program's subscription to the background, as an operator.
    ///
    /// The hold is the operator's; the subscriber's own is another, and both must be cleared.
    ///
    /// - Parameters:
    ///   - subscription: Its name on the bus, as ``Subscriber/id`` has it.
    ///   - wakeAfter: From a millisecond to a year, after which the hold clears by itself.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noSuchSubscription``, ``ReveilleError/Code/invalidArgument``, or
    ///   ``ReveilleError/Code/notPermitted`` where it is another user's.
    public func hold(_ subscription: String, wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await engine.setState(of: subscription, isInBackground: true, wakeAfter: wakeAfter)
    }

    /// Clears the operator's hold of a subscription.
    public func release(_ subscription: String) async throws(ReveilleError) {
        try await engine.setState(of: subscription, isInBackground: false, wakeAfter: nil)
    }
}
