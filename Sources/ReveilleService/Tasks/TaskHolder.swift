// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The holder of a task: the connection whose call lasts as long as the task.
final class TaskHolder {
    /// A change of the task that the holder has not been notified of; a later change replaces it.
    enum Notice {
        /// The time is about to end.
        case expiring
        /// The task has ended.
        case ended
    }

    let connection: Connection
    /// The process of the holder; `nil` if it is unknown.
    var process: (any FollowedProcess)?
    /// The source that waits for the end of the process.
    var end: (any LoopSource)?
    var due: Notice?

    init(_ connection: Connection) {
        self.connection = connection
    }
}
