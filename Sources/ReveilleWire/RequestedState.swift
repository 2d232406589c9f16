// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A state that SetState gives a subscription.
package enum RequestedState: String, Sendable, Hashable, CaseIterable {
    /// The caller's hold is cleared.
    case foreground
    /// The subscription is held.
    case background
    /// The caller's hold is cleared, and the lifecycle becomes `inactive`.
    case inactive
    /// The subscription is held, and then its program is frozen.
    case suspended

    /// Whether the caller's hold is set; the hold can end automatically.
    package var isHeld: Bool { self == .background || self == .suspended }
}

extension RequestedState: WordSet {}
