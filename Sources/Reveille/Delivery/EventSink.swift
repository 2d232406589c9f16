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
    /// The events of one reply.
    func put(_ events: [Event])
    /// The background begins: nothing is to be delivered.
    func park()
    /// The background ends: what there is is due.
    func unpark()
    /// Nothing more comes.
    func finish(_ error: ReveilleError)
    /// Nothing waits that was put in.
    var isEmpty: Bool { get }
}
