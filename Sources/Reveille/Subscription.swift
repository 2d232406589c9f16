// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleSystem

extension Device {
    /// Subscribes to aspects; every change after the return is an event or a part of one.
    ///
    /// ```swift
    /// let subscription = try await device.subscribe(to: [.battery, .orientation])
    /// for try await event in subscription { print(event) }
    /// ```
    ///
    /// - Parameters:
    ///   - aspects: The aspects, published names and patterns whose changes are delivered, at most 64.
    ///   - options: The options of the subscription.
    /// - Returns: The subscription; it ends on release.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name or domain, and for a policy
    ///   that is invalid or not of these aspects; ``ReveilleError/Code/quotaExceeded`` for too many aspects or domains, or
    ///   too many connections or lists of domains of the user.
    public func subscribe(
        to aspects: Set<Aspect>, options: SubscriptionOptions = SubscriptionOptions()
    ) async throws -> Subscription {
        try await open(aspects, options)
    }

    func open(_ aspects: Set<Aspect>, _ options: SubscriptionOptions) async throws(ReveilleError) -> Subscription {
        let request = try options.request(for: AspectSet(aspects), name: Environment["REVEILLE_NAME"])
        let mailbox = EventMailbox(request)
        return Subscription(self, try await engine.open(request, into: mailbox).get(), mailbox)
    }
}

/// The events of some aspects, in the order of their last change.
///
/// Events that are not taken are merged: for a slow consumer, one event waits for each aspect that changed, whatever
/// the number of changes. In the background nothing is delivered. If the bus goes away and comes back, the sequence
/// continues with the changes in between.
///
/// ```swift
/// var saved: Positions?  // of an earlier run
/// let subscription = try await device.subscribe(to: [.battery], options: SubscriptionOptions(resume: saved))
/// for try await event in subscription {
///     print(event)
///     saved = subscription.positions
/// }
/// ```
///
/// The sequence ends with ``cancel()`` or when it is released; it throws if the bus refuses the subscription
/// permanently. Several iterators share the events: each event goes to one of them.
public final class Subscription: AsyncSequence, Sendable {
    let device: Device
    let id: StreamID
    private let mailbox: EventMailbox

    init(_ device: Device, _ id: StreamID, _ mailbox: EventMailbox) {
        self.device = device
        self.id = id
        self.mailbox = mailbox
    }

    deinit {
        cancel()
    }

    /// The positions of the events taken so far, for a later subscription to resume from; `nil` before the bus has
    /// answered.
    public var positions: Positions? { mailbox.positions }

    /// Sends the subscription to the background: nothing is delivered until it wakes.
    ///
    /// Events not taken so far wait too, unless their aspect has the policy `immediate`. In the background, another
    /// call only replaces `wakeAfter`; `nil` removes the deadline.
    ///
    /// ```swift
    /// try await subscription.enterBackground(wakeAfter: .seconds(900))
    /// // … nothing is delivered …
    /// try await subscription.enterForeground()  // one event for each aspect that changed
    /// ```
    ///
    /// If the bus is gone, it learns of the background when it is back.
    ///
    /// - Parameter wakeAfter: A millisecond to a year, after which the subscription wakes even if this process hangs;
    ///   `nil` for no deadline.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for a `wakeAfter` out of range,
    ///   ``ReveilleError/Code/timeout`` if the bus does not answer, or ``ReveilleError/Code/closed`` if the subscription has
    ///   ended.
    public func enterBackground(wakeAfter: Duration? = nil) async throws {
        try await device.engine.enterBackground(id, wakeAfter: wakeAfter)
    }

    /// Wakes the subscription: exactly one event is delivered for each aspect that changed, unless its policy differs.
    ///
    /// The call returns when these events can be taken, even if the bus has to wait for a sensor. If the bus is gone,
    /// the events follow when it is back.
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/timeout`` if the bus does not answer, or
    ///   ``ReveilleError/Code/closed`` if the subscription has ended.
    public func enterForeground() async throws {
        try await device.engine.enterForeground(id)
    }

    /// Brings the subscription to the foreground, with the lifecycle `inactive`.
    ///
    /// Everything is delivered as in the foreground. Only subscribers to `lifecycle` see the difference, such as a program
    /// that pauses while something else covers it.
    ///
    /// ```swift
    /// try await subscription.becomeInactive()  // a dialog of the system is open
    /// try await subscription.enterForeground()
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/timeout`` if the bus does not answer, or
    ///   ``ReveilleError/Code/invalidArgument`` if it is of a version without this state.
    public func becomeInactive() async throws {
        try await device.engine.enterForeground(id, inactive: true)
    }

    /// Ends the subscription; events that were not taken are discarded.
    public func cancel() {
        mailbox.cancel()
        // Keeps the device until the stream is closed.
        Task(executorPreference: device.engine.thread) { [device, id] in await device.engine.close(id) }
    }

    /// Waits for the next event; `nil` at the end, and in a cancelled task, which takes no event from others.
    ///
    /// - Throws: ``ReveilleError`` if the bus refuses the subscription permanently, with the code of the refusal, or
    ///   ``ReveilleError/Code/invalidReply`` if it violates its protocol. A lost bus is not an error.
    public func next(isolation: isolated (any Actor)? = #isolation) async throws -> Event? {
        try await mailbox.next(isolation: isolation)
    }

    /// Takes the next event if one is due, without waiting.
    package func nextIfDue() -> Event? { try? mailbox.nextIfDue() }

    /// Creates an iterator, which retains the subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: self)
    }

    /// An iterator over the events of a subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// Waits for the next event, as ``Subscription/next(isolation:)`` does.
        ///
        /// - Throws: ``ReveilleError``, as ``Subscription/next(isolation:)`` does.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Event? {
            try await subscription.next(isolation: actor)
        }
    }
}
