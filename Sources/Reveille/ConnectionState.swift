// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Whether a ``Device`` reaches its bus.
public enum ConnectionState: Sendable, Hashable {
    /// The bus answers.
    case connected
    /// The bus is gone; the device tries again by itself, and subscriptions go on where they were.
    case disconnected(ReveilleError)
}
