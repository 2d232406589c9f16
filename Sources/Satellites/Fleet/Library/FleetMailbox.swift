// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
package import ReveilleSystem

/// The events that a consumer has not taken from a reader yet, merged.
///
/// The reader is never delayed by a slow consumer: a broker drops messages for a client that does not read.
package struct FleetMail: Sendable, MailboxContents {
    var ledger: Ledger
    var inbox = FleetInbox()
    /// The taken, unconfirmed events; `nil` if taking is enough.
    var unconfirmed: FleetInbox?
    /// Why the broker is out of reach, if the consumer has not been notified yet.
    var loss: FleetError?
    /// The number of events before the notice that everything has arrived; `nil` if there is none.
    var caughtUpAfter: Int?
    var failure: FleetError?

    package var isDue: Bool { failure != nil || loss != nil || caughtUpAfter != nil || !inbox.isEmpty }

    package mutating func takeNext() -> Result<FleetEvent?, FleetError>? {
        if let loss {
            self.loss = nil
            return .success(.disconnected(loss))
        }
        if let count = caughtUpAfter {
            // Some counted events may have cancelled each other since.
            let isNow = count == 0 || inbox.isEmpty
            caughtUpAfter = isNow ? nil : count - 1
            if isNow { return .success(.caughtUp) }
        }
        if let event = inbox.take() {
            ledger.noteTaken(event)
            unconfirmed?.put(event)
            return .success(event)
        }
        return failure.map { .failure($0) }
    }
}

package typealias FleetMailbox = Mailbox<FleetMail>

extension Mailbox where Contents == FleetMail {
    /// Creates a mailbox that continues after earlier positions; events may count as seen only after ``confirm()``.
    package convenience init(resumingFrom ledger: Ledger = Ledger(), confirmsEvents: Bool = false) {
        self.init(FleetMail(ledger: ledger, unconfirmed: confirmsEvents ? FleetInbox() : nil))
    }

    // MARK: - The reader

    /// Notes a connection to the broker, which delivers everything that it keeps again.
    func connect() {
        withContents { mail in
            mail.ledger.connect()
            (mail.loss, mail.failure) = (nil, nil)
        }
    }

    /// Notes that the broker was lost, or is still out of reach.
    func lose(_ error: FleetError) {
        change { mail in
            (mail.loss, mail.failure) = (error, nil)
            mail.caughtUpAfter = nil
        }
    }

    /// Ends the events after the waiting ones.
    func fail(_ error: FleetError) { change { $0.failure = error } }

    /// Adds a problem of the connection, unless it was reported before.
    func put(_ problem: FleetProblem, at now: Int64) {
        change { mail in mail.inbox.put(Ledger.Outcome(problem: mail.ledger.report(problem, at: now))) }
    }

    /// Notes that the broker has sent everything so far, and returns the devices to ask for again.
    func mark(_ completeness: inout Completeness, at now: Int64) -> [DeviceID] {
        change { mail in
            switch completeness.mark(&mail.ledger, at: now) {
            case .ask(let page): return page
            case .complete(let outcomes):
                for outcome in outcomes { mail.inbox.put(outcome) }
                mail.caughtUpAfter = mail.inbox.count
                return []
            }
        }
    }

    /// Takes a message, and returns whether it brought anything new.
    func receive(_ payload: [UInt8], on topic: String, isRetained: Bool, expiry: UInt32?, at now: Int64) -> Bool {
        change { mail in
            let outcome = mail.ledger.receive(payload, on: topic, isRetained: isRetained, expiry: expiry, at: now)
            mail.inbox.put(outcome)
            return outcome.event != nil || outcome.problem != nil
        }
    }

    // MARK: - The consumer

    /// The positions of the events that were taken and, if required, confirmed.
    package var positions: String {
        var (ledger, inbox, unconfirmed) = withContents { ($0.ledger, $0.inbox, $0.unconfirmed) }
        unconfirmed?.append(inbox)
        return ledger.positions(without: unconfirmed ?? inbox)
    }

    /// Whether the broker has been reached.
    package var hasConnected: Bool { withContents { $0.ledger.connection > 0 } }

    package func confirm() { withContents { if $0.unconfirmed != nil { $0.unconfirmed = FleetInbox() } } }
}
