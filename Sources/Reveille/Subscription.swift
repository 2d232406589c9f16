// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore
import ReveilleWire

/// What of the state comes before the first change.
public enum Delivering: Sendable, Hashable {
    /// Nothing: the first event is a change.
    case changes
    /// The current state of each aspect, as events whose `Event.changes` are 0.
    case currentState
}

extension Device {
    /// Subscribes to aspects; from the return on, every change is an event or a part of one.
    ///
    /// ```swift
    /// let subscription = try await device.subscribe(to: [.battery, .orientation])
    /// for try await event in subscription { print(event) }
    /// ```
    ///
    /// - Parameters:
    ///   - aspects: What to be told of.
    ///   - delivering: Whether the state that is there comes first.
    ///   - policies: What an aspect's changes do in the background; they are merged into one event by default.
    ///   - positions: Where an earlier subscription was, this process's or another's: what changed since then comes
    ///     first. A bus that does not know them any more tells every state instead.
    ///   - name: A name for people, as `reveille status` shows it.
    ///   - startsInBackground: Is told nothing before ``Subscription/enterForeground()``, but for the state that was
    ///     asked for.
    /// - Returns: The subscription, which ends when it is released.
    /// - Throws: ``ReveilleError``.
    public func subscribe(
        to aspects: AspectSet = .default, delivering: Delivering = .changes, policies: [Aspect: Policy] = [:],
        resumingFrom positions: Positions? = nil, name: String? = nil, startsInBackground: Bool = false
    ) async throws(ReveilleError) -> Subscription {
        let request = SubscriptionRequest(
            aspects: aspects, name: name, startsInBackground: startsInBackground,
            wantsInitial: delivering == .currentState, instance: positions?.instance,
            positions: positions?.generations, policies: policies)
        let mailbox = Mailbox(policies: policies)
        return Subscription(self, try await engine.open(request, into: mailbox), mailbox)
    }
}

/// The events of some aspects, in the order of their last change.
///
/// What is not taken is merged: who iterates slowly, or not at all, has one event waiting for each aspect that
/// changed, whatever the number of changes. In the background nothing is delivered. A bus that goes away and comes
/// back is no end: the sequence goes on with what changed meanwhile.
///
/// Ends with ``cancel()``, or when it is released; throws where the bus refuses it for good. Several iterators share
/// the events, each of which goes to one of them.
public final class Subscription: AsyncSequence, Sendable {
    private let device: Device
    private let id: StreamID
    private let mailbox: Mailbox

    init(_ device: Device, _ id: StreamID, _ mailbox: Mailbox) {
        self.device = device
        self.id = id
        self.mailbox = mailbox
    }

    deinit {
        cancel()
    }

    /// How far the events that were taken go: to be stored, and given to a later subscription.
    public var positions: Positions? { mailbox.positions }

    /// Sends the subscription to the background: nothing is delivered until it wakes.
    ///
    /// Events that came before and were not taken wait too, but for those of aspects whose policy is `immediate`. In
    /// the background already, only `wakeAfter` counts anew; without it the time that stood is none any more.
    ///
    /// - Parameter wakeAfter: From a millisecond to a year, after which it wakes by itself, even if this process hangs;
    ///   `nil` for when it is told to.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for a `wakeAfter` out of its range; that the bus is gone is none, it is told when it is back.
    public func enterBackground(wakeAfter: Duration? = nil) async throws(ReveilleError) {
        try await device.engine.enterBackground(id, wakeAfter: wakeAfter)
    }

    /// Wakes the subscription: there is exactly one event for each aspect that changed, if its policy is none other.
    public func enterForeground() async throws(ReveilleError) {
        try await device.engine.enterForeground(id)
    }

    /// Ends it; what was not taken is discarded.
    public func cancel() {
        mailbox.cancel()
        // The device is kept until the stream is closed.
        Task { [device, id] in await device.engine.close(id) }
    }

    /// The next event, once there is one; `nil` at the end and for a task that is cancelled, which takes nothing from
    /// others.
    ///
    /// - Throws: ``ReveilleError`` where the bus refuses the subscription for good.
    public func next(isolation: isolated (any Actor)? = #isolation) async throws(ReveilleError) -> Event? {
        try await mailbox.next(isolation: isolation)
    }

    /// Makes an iterator, which keeps the subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: self)
    }

    /// Takes events one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// The next event, as ``Subscription/next(isolation:)`` gives it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ReveilleError) -> Event? {
            try await subscription.next(isolation: actor)
        }

        /// The next event, as ``Subscription/next(isolation:)`` gives it.
        public mutating func next() async throws(ReveilleError) -> Event? {
            try await subscription.next()
        }
    }
}
