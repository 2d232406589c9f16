// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

extension Inbox: MailboxContents {
    var isDue: Bool { failure != nil || hasNext }

    mutating func takeNext() -> Result<Event?, ReveilleError>? {
        // A failure comes after the events before it.
        if let event = take() { return .success(event) }
        return failure.map { .failure($0) }
    }
}

/// The events that wait for one consumer.
typealias EventMailbox = Mailbox<Inbox>

extension Mailbox: EventSink where Contents == Inbox {
    convenience init(_ request: SubscriptionRequest = SubscriptionRequest()) { self.init(Inbox(request)) }

    func receive(_ output: StreamOutput) { change { $0.receive(output) } }

    /// The positions of the events taken so far; `nil` before the bus has answered.
    var positions: Positions? { withContents { $0.positions } }
}
