// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleWire
import Varlink

extension Device {
    /// The calls with which shells and operators control the subscriptions of other programs.
    ///
    /// ```swift
    /// let shell = device.shell
    /// for subscription in try await shell.subscriptions() { print(subscription.name ?? subscription.id) }
    /// ```
    public var shell: Shell { Shell(device: self) }
}

/// The calls of a shell, which decides what the user sees; from ``Device/shell``.
public struct Shell: Sendable {
    let device: Device

    /// Returns all subscriptions of the bus, as `reveille status` shows them.
    ///
    /// ```swift
    /// for subscription in try await device.shell.subscriptions() where subscription.holds.contains(.app) {
    ///     print(subscription.name ?? subscription.id, subscription.pending)
    /// }
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout``.
    public func subscriptions() async throws -> [SubscriptionInfo] {
        try await device.engine.call(ListSubscriptions()).subscriptions
    }

    /// Sends another program's subscription to the background, as an operator.
    ///
    /// The operator's hold is independent of the subscriber's own; the subscription wakes when both are cleared.
    ///
    /// ```swift
    /// for subscription in try await device.shell.subscriptions() where subscription.name == "status-bar" {
    ///     try await device.shell.hold(subscription.id, wakeAfter: .seconds(60))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - subscription: The identifier of the subscription: its `SubscriptionInfo.id`.
    ///   - wakeAfter: A millisecond to a year, after which the hold is cleared automatically; `nil` for no deadline.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noSuchSubscription``, ``ReveilleError/Code/invalidArgument``, or
    ///   ``ReveilleError/Code/notPermitted`` for a subscription of another user.
    public func hold(_ subscription: String, wakeAfter: Duration? = nil) async throws {
        try await device.engine.setState(of: subscription, isInBackground: true, wakeAfter: wakeAfter)
    }

    /// Suspends the program behind a subscription: sends it to the background, and freezes its cgroup.
    ///
    /// The call waits until it is frozen, which may take minutes; cancelling the task does not undo the suspension. The
    /// program first finishes its tasks, for as long as they have time, and reads the event `suspended` if it
    /// subscribes to `lifecycle`. ``wake(_:)`` thaws it.
    ///
    /// ```swift
    /// for subscription in try await device.shell.subscriptions() where subscription.name == "player" {
    ///     try await device.shell.suspend(subscription.id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - subscription: The identifier of the subscription: its `SubscriptionInfo.id`.
    ///   - wakeAfter: A millisecond to a year, after which the program is thawed and woken automatically; `nil` for no
    ///     deadline.
    /// - Throws: ``ReveilleError``, as ``hold(_:wakeAfter:)`` does, and ``ReveilleError/Code/cannotSuspend`` with the
    ///   reason if the cgroup cannot be frozen, or if the program is woken before. It is in the background all the same.
    public func suspend(_ subscription: String, wakeAfter: Duration? = nil) async throws {
        try await device.engine.suspend(subscription, wakeAfter: wakeAfter)
    }

    /// Clears the operator's hold of a subscription that ``hold(_:wakeAfter:)`` or ``suspend(_:wakeAfter:)`` has set.
    ///
    /// A suspended program is thawed first.
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noSuchSubscription``, or ``ReveilleError/Code/notPermitted``
    ///   for a subscription of another user.
    public func wake(_ subscription: String) async throws {
        try await device.engine.setState(of: subscription, isInBackground: false, wakeAfter: nil)
    }
}
