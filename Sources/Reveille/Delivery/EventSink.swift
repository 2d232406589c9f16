// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A consumer of a stream of the bus; called on the loop's thread.
protocol EventSink: AnyObject {
    func receive(_ output: StreamOutput)
    /// Ends the consumer: waiting events are discarded.
    func cancel()
}

enum StreamOutput: Equatable {
    /// The states at the start, which are not delivered.
    case start([Event], instance: String)
    /// The states of a bus that does not know which events were delivered before; unchanged states are not delivered.
    case restart([Event], instance: String)
    /// The first states, which the consumer has asked for: they are delivered in the background too.
    case answer([Event])
    case events([Event])
    /// States whose changes the policy `drop` has dropped: they count as seen.
    case skip([Event])
    /// The background, in which nothing is delivered, has begun or ended.
    case background(Bool)
    /// The stream has ended; waiting events are still delivered.
    case end(ReveilleError)
}

extension Inbox: MailboxContents {
    var isDue: Bool { failure != nil || hasNext }

    mutating func takeNext() -> Result<Event?, ReveilleError>? {
        // A failure comes after the events before it.
        if let event = take() { return .success(event) }
        return failure.map { .failure($0) }
    }
}

typealias EventMailbox = Mailbox<Inbox>

extension Mailbox: EventSink where Contents == Inbox {
    convenience init(_ request: SubscriptionRequest = SubscriptionRequest()) { self.init(Inbox(request)) }

    func receive(_ output: StreamOutput) { change { $0.receive(output) } }

    /// The positions of the events taken so far; `nil` before the bus has answered.
    var positions: Positions? { withContents { $0.positions } }
}
