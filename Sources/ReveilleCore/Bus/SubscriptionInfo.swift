// SPDX-License-Identifier: Apache-2.0

/// A subscription on a bus, as shown to other clients of the bus.
public struct SubscriptionInfo: Sendable, Hashable, CustomStringConvertible {
    /// A task that is not finished; see `Subscription.withBackgroundTask`.
    public struct Task: Sendable, Hashable {
        /// The name that the program chose.
        public let name: String
        /// The time that is left in the background; `nil` in the foreground.
        public let remaining: Duration?

        package init(name: String, remaining: Duration?) {
            self.name = name
            self.remaining = remaining
        }
    }

    /// The subscription's identifier on the bus.
    public let id: String
    /// The display name that the subscriber chose.
    public let name: String?
    /// The process that subscribed.
    public let processID: Int32
    /// The user of the process.
    public let userID: UInt32
    /// The aspects, published names and patterns.
    public var aspects: Set<Aspect> { Set(aspectSet.aspects) }
    package let aspectSet: AspectSet
    /// The reasons why nothing is delivered to it now; empty in the foreground.
    public package(set) var holds: HoldReasons
    /// The state of the subscription itself; `nil` if it was not asked for and follows from ``holds``.
    public let lifecycle: Lifecycle?
    /// The number of pending changes by aspect.
    public let pending: [Aspect: Int]
    /// The number of events delivered so far.
    public let eventCount: Int
    /// The number of changes in these events.
    public let changeCount: Int
    /// The tasks that the program wants to finish before it is suspended, in the order in which they began.
    public let tasks: [Task]

    package init(
        id: String, name: String?, processID: Int32, userID: UInt32, aspects: AspectSet, holds: HoldReasons,
        lifecycle: Lifecycle? = nil, pending: [Aspect: Int], eventCount: Int, changeCount: Int, tasks: [Task] = []
    ) {
        self.id = id
        self.name = name
        self.processID = processID
        self.userID = userID
        aspectSet = aspects
        self.holds = holds
        self.lifecycle = lifecycle
        self.pending = pending
        self.eventCount = eventCount
        self.changeCount = changeCount
        self.tasks = tasks
    }

    /// The subscriber, the reasons of its holds and the pending changes: `"player", pid 42, held by app, pending: battery 3`.
    public var description: String {
        // Another program chose the name.
        var parts = [name?.debugDescription ?? id, "pid \(processID)"]
        if !holds.isEmpty { parts.append("held by \(holds)") }
        let waiting = pending.map { "\($0.name) \($1)" }.sorted()
        if !waiting.isEmpty { parts.append("pending: " + waiting.joined(separator: ", ")) }
        return parts.joined(separator: ", ")
    }

    /// Whether the subscriber is in the background, or has read every change.
    package var isUpToDate: Bool {
        guard holds.subtracting(.unread).isEmpty else { return true }
        return holds.isEmpty && pending.isEmpty
    }
}

/// The subscriptions of a bus that began, changed or ended.
public struct SubscriptionChanges: Sendable, Hashable {
    /// The subscriptions that began or changed, as they are now.
    public let subscriptions: [SubscriptionInfo]
    /// The identifiers of the subscriptions that ended: their `SubscriptionInfo.id`.
    public let ended: [String]

    package init(subscriptions: [SubscriptionInfo], ended: [String]) {
        self.subscriptions = subscriptions
        self.ended = ended
    }
}

/// An aspect on a bus, and the source that it is read from.
public struct AspectInfo: Sendable, Hashable {
    /// The aspect.
    public let aspect: Aspect
    /// Whether this device has a source for the aspect.
    public let isAvailable: Bool
    /// Whether the source is being watched now.
    public let isWatched: Bool
    /// The device or file that is read, or the reason why there is none.
    public let source: String

    package init(aspect: Aspect, isAvailable: Bool, isWatched: Bool, source: String) {
        self.aspect = aspect
        self.isAvailable = isAvailable
        self.isWatched = isWatched
        self.source = source
    }
}
