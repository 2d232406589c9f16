// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The holder of a task: the connection whose call lasts as long as the task.
final class TaskHolder {
    let connection: Connection
    var process: (any FollowedProcess)?
    var end: (any LoopSource)?

    init(_ connection: Connection) {
        self.connection = connection
    }
}
