// SPDX-License-Identifier: Apache-2.0

/// Whether the bus of a ``Device`` is reachable.
public enum ConnectionState: Sendable, Hashable {
    /// The bus answers.
    case connected
    /// The bus is gone; the device reconnects automatically, and subscriptions continue where they were.
    case disconnected(ReveilleError)
}
