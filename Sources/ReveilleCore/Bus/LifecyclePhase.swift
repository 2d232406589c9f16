// SPDX-License-Identifier: Apache-2.0

/// The part of a subscription's lifecycle that does not follow from its holds.
package enum LifecyclePhase: UInt8, Sendable, Hashable {
    /// The lifecycle follows from the holds alone.
    case usual
    /// In the foreground, the program is inactive.
    case inactive
    /// The program is suspended, or about to be.
    case suspended
    /// The program is about to be ended.
    case terminating
}

extension SubscriptionState {
    /// Whether a caller has sent the program to the background.
    var isSentToBackground: Bool { !holds.isDisjoint(with: .requested) }

    var lifecycle: Lifecycle {
        switch phase {
        case .terminating: .terminating
        case .suspended: .suspended
        // A program that somebody else froze does not run either.
        case _ where holds.contains(.frozen): .suspended
        case _ where isSentToBackground: .background
        case .inactive: .inactive
        case .usual: .active
        }
    }

    /// Sets the phase for the foreground, unless the program is being suspended or ended.
    mutating func choosePhase(_ next: LifecyclePhase) {
        if phase == .usual || phase == .inactive { phase = next }
    }

    /// Ends a phase that a new hold, or the end of the last hold, cancels.
    mutating func endPhase(isHeld: Bool, into next: LifecyclePhase = .usual) {
        switch phase {
        case .inactive where isHeld: phase = .usual
        case .suspended where !isSentToBackground, .terminating where !isSentToBackground: phase = next
        case .usual, .inactive, .suspended, .terminating: break
        }
    }
}
