// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A consumer of a stream of the bus; called on the loop's thread.
protocol EventSink: AnyObject {
    /// Takes what the stream passes on.
    func receive(_ output: StreamOutput)
}

/// What a stream of the bus passes on to its consumer.
enum StreamOutput: Equatable {
    /// The states at the start, which are not delivered.
    case start([Event], instance: String)
    /// The states of a bus that does not know which events were delivered before; unchanged states are not delivered.
    case restart([Event], instance: String)
    /// The first states, which the consumer has asked for: they are delivered in the background too.
    case answer([Event])
    /// The events of one reply.
    case events([Event])
    /// States whose changes the policy `drop` has dropped: they count as seen.
    case skip([Event])
    /// The background, in which nothing is delivered, has begun or ended.
    case background(Bool)
    /// The stream has ended; waiting events are still delivered.
    case end(ReveilleError)
}
