// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Takes what a stream of the bus brings; called on the loop's thread.
protocol EventSink: AnyObject {
    /// The states that are the start, and are not told.
    func start(from events: [Event], of instance: String)
    /// The states that a bus tells which knows nothing of what it, or the one before it, told; what is as before is
    /// not told.
    func restart(from events: [Event], of instance: String)
    /// The first states of a consumer that has asked for them: they are told in the background too.
    func answer(_ states: [Event])
    /// The events of one reply.
    func put(_ events: [Event])
    /// States whose changes the policy `drop` has dropped: they count as seen.
    func skip(_ states: [Event])
    /// The background begins: nothing is to be delivered.
    func park()
    /// The background ends: what there is is due.
    func unpark()
    /// Nothing more comes.
    func finish(_ error: ReveilleError)
    /// Nothing waits that was put in.
    var isEmpty: Bool { get }
}

/// What matters only to those who choose policies, or begin in the background.
extension EventSink {
    func answer(_ states: [Event]) { put(states) }
    func skip(_ states: [Event]) {}
}
