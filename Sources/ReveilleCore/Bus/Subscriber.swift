// SPDX-License-Identifier: Apache-2.0

/// A subscription on a bus, as shown to other clients of the bus.
public struct Subscriber: Sendable, Hashable {
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
    /// The aspects.
    public let aspects: AspectSet
    /// The reasons why nothing is delivered to it now; empty in the foreground.
    public let holds: HoldReasons
    /// The state of the subscription itself; `nil` if it was not asked for and follows from ``holds``.
    public let lifecycle: Lifecycle?
    /// The number of pending changes by aspect.
    public let pending: [Aspect: Int]
    /// The number of events delivered so far.
    public let events: Int
    /// The number of changes in these events.
    public let changes: Int
    /// The tasks that the program wants to finish before it is suspended, in the order in which they began.
    public let tasks: [Task]

    package init(
        id: String, name: String?, processID: Int32, userID: UInt32, aspects: AspectSet, holds: HoldReasons,
        lifecycle: Lifecycle? = nil, pending: [Aspect: Int], events: Int, changes: Int, tasks: [Task] = []
    ) {
        self.id = id
        self.name = name
        self.processID = processID
        self.userID = userID
        self.aspects = aspects
        self.holds = holds
        self.lifecycle = lifecycle
        self.pending = pending
        self.events = events
        self.changes = changes
        self.tasks = tasks
    }

    /// Whether the subscriber is in the background, or has read every change.
    package var isUpToDate: Bool {
        guard holds.subtracting(.unread).isEmpty else { return true }
        return holds.isEmpty && pending.isEmpty
    }
}
