// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore
import ReveilleWire

/// What an aspect is read from.
public struct AspectSource: Sendable, Hashable {
    /// The aspect.
    public let aspect: Aspect
    /// Whether there is something to read it from.
    public let isAvailable: Bool
    /// Whether it is being watched now, for somebody.
    public let isMonitored: Bool
    /// A device, a file; or why there is none.
    public let text: String

    init(_ source: StatusCoding.Source) {
        aspect = source.aspect
        isAvailable = source.source != nil
        isMonitored = source.isMonitored
        text = source.source ?? source.reason ?? ""
    }
}

/// Somebody who subscribes to a bus.
public struct Subscriber: Sendable, Hashable {
    /// Its name on the bus.
    public let id: String
    /// The name that it gave, for people.
    public let name: String?
    /// Its process.
    public let processID: Int32
    /// Its user.
    public let userID: UInt32
    /// What it is told of.
    public let aspects: AspectSet
    /// Why nothing is delivered to it now; empty in the foreground.
    public let holds: HoldReasons
    /// How many changes wait for it, by aspect.
    public let pending: [Aspect: Int]
    /// Events delivered so far.
    public let events: Int
    /// Changes that those events stood for.
    public let changes: Int

    init(_ subscription: StatusCoding.Subscription) {
        id = subscription.id
        name = subscription.name
        processID = subscription.pid
        userID = subscription.uid
        aspects = subscription.aspects
        holds = subscription.holds
        pending = subscription.pending
        events = subscription.events
        changes = subscription.changes
    }
}
