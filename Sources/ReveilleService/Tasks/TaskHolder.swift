// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The holder of a task: the connection whose call lasts as long as the task.
final class TaskHolder {
    /// A change of the task that the holder has not been notified of; a later change replaces it.
    enum Notice {
        case expiring
        case ended
    }

    let connection: Connection
    var process: (any FollowedProcess)?
    var end: (any LoopSource)?
    var due: Notice?

    init(_ connection: Connection) {
        self.connection = connection
    }
}
