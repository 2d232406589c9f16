// SPDX-License-Identifier: Apache-2.0

/// The identifier of a task, which no other task has at the same time.
package typealias TaskID = UInt64

/// A process with subscriptions, as far as the bus can distinguish it from others.
package enum ProcessKey: Sendable, Hashable {
    /// A process that the bus follows until it ends, by a number of its own.
    case followed(UInt64)
    /// A process that the bus cannot follow, by its process ID and its user.
    case visible(pid: Int32, user: UInt32)
    /// The unknown process behind a connection.
    case hidden(connection: UInt64)
}

package struct TaskState: Sendable, Hashable {
    /// The time that is left; `nil` in the foreground.
    package var remaining: Duration?
    package var isExpiring: Bool
    /// Whether the task has ended: its time is over, or its subscription has ended.
    package var hasEnded: Bool

    package init(remaining: Duration? = nil, isExpiring: Bool = false, hasEnded: Bool = false) {
        self.remaining = remaining
        self.isExpiring = isExpiring
        self.hasEnded = hasEnded
    }
}
