// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// A consumer of a stream of the bus; called on the loop's thread.
protocol EventSink: AnyObject {
    /// Takes the states at the start, which are not delivered.
    func start(from events: [Event], of instance: String)
    /// Takes the states of a bus that does not know which events were delivered before; unchanged states are not
    /// delivered.
    func restart(from events: [Event], of instance: String)
    /// Takes the first states, which the consumer has asked for: they are delivered in the background too.
    func answer(_ states: [Event])
    /// Takes the events of one reply.
    func put(_ events: [Event])
    /// Takes states whose changes the policy `drop` has dropped: they count as seen.
    func skip(_ states: [Event])
    /// Begins the background: nothing is delivered.
    func park()
    /// Ends the background: waiting events are due.
    func unpark()
    /// Ends the stream; waiting events are still delivered.
    func finish(_ error: ReveilleError)
    /// Whether no event waits.
    var isEmpty: Bool { get }
}

/// Defaults for sinks without policies, which never begin in the background.
extension EventSink {
    func answer(_ states: [Event]) { put(states) }
    func skip(_ states: [Event]) {}
}
