// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore
import ReveilleSystem

/// The states of devices and their changes, in the order in which they arrived.
///
/// Events that are not taken are merged: for a slow consumer, one event waits for each state that changed, whatever the
/// number of changes. If the broker goes away and comes back, the events continue with the changes in between.
///
/// ```swift
/// var saved: FleetPositions?  // of an earlier run
/// let events = try await fleet.events(resume: saved)
/// for try await event in events {
///     print(event)
///     saved = events.positions
/// }
/// ```
///
/// The events end with ``cancel()`` or on release; an error is thrown if the broker refuses the subscription. Several
/// iterators share the events: each event goes to one of them.
package final class FleetEvents: AsyncSequence, Sendable {
    private let engine: FleetEngine
    private let id: Int
    private let mailbox: FleetMailbox

    init(_ engine: FleetEngine, _ id: Int, _ mailbox: FleetMailbox) {
        self.engine = engine
        self.id = id
        self.mailbox = mailbox
    }

    deinit {
        cancel()
    }

    /// The positions of the events taken so far, to continue from later.
    ///
    /// The computation takes time in proportion to the number of states: a second for five million.
    package var positions: FleetPositions { mailbox.positions }

    /// Ends the events; waiting events are discarded.
    package func cancel() {
        mailbox.cancel()
        // Keeps the thread until the connection is closed.
        Task { [engine, id] in await engine.close(id) }
    }

    /// Waits for the next event; `nil` at the end, and in a cancelled task, which takes no event from others.
    ///
    /// - Throws: `FleetError` with `FleetError.Code.refused` if the broker refuses the subscription.
    package func next(isolation: isolated (any Actor)? = #isolation) async throws(FleetError) -> FleetEvent? {
        try await mailbox.next(isolation: isolation)
    }

    /// Confirms all taken events, so that ``positions`` contain them.
    package func confirm() { mailbox.confirm() }

    /// Takes the next event if one is due, without waiting.
    package func nextIfDue() throws(FleetError) -> FleetEvent? { try mailbox.nextIfDue() }

    /// Creates an iterator, which retains the events.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(events: self)
    }

    /// An iterator over the events.
    package struct AsyncIterator: AsyncIteratorProtocol {
        let events: FleetEvents

        /// Waits for the next event, as ``FleetEvents/next(isolation:)`` does.
        ///
        /// - Throws: `FleetError`, as ``FleetEvents/next(isolation:)`` does.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(FleetError) -> FleetEvent? {
            try await events.next(isolation: actor)
        }
    }
}

/// The last state that a consumer has seen of each aspect of each device; store the positions to continue later.
///
/// ```swift
/// let text = events.positions.text
/// let next = try await fleet.events(resume: FleetPositions(text))
/// ```
package struct FleetPositions: Sendable, Hashable {
    /// The positions as text, one line for each device.
    package let text: String

    /// Creates positions from a ``text`` of this or an earlier version.
    ///
    /// - Throws: `FleetError` with `FleetError.Code.positions`, the number of the line and the reason.
    package init(_ text: String) throws(FleetError) {
        self.text = text
        _ = try ledger()
    }

    init(of ledger: Ledger, without inbox: FleetInbox) { text = PositionsFile.text(of: ledger, without: inbox) }

    func ledger() throws(FleetError) -> Ledger { try PositionsFile.ledger(from: text) }
}
