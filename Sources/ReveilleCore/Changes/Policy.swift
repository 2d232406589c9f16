// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What an aspect does while its subscriber is held.
public struct Policy: Sendable, Hashable {
    /// How changes wait for the subscriber.
    public enum Background: Sendable, Hashable {
        /// They are merged into one event.
        case coalesce
        /// Each is kept, the newest `limit` of them.
        case hold(limit: Int)
        /// They are not told at all.
        case drop
        /// They do not wait.
        case immediate
    }

    /// How changes wait.
    public var background: Background
    /// Says nothing of a state that went and came back; it stays pending, and a later event counts it.
    public var netChangeOnly: Bool

    /// Makes a policy; without arguments the one that a subscription has by default.
    public init(background: Background = .coalesce, netChangeOnly: Bool = false) {
        self.background = background
        self.netChangeOnly = netChangeOnly
    }
}
