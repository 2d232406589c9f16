// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

extension Configuration {
    /// The limits on tasks, which programs finish before they are suspended.
    package struct Lifecycle: Sendable {
        /// The time that a process has for its tasks in the background: enough to finish an upload, as on phones.
        package var taskTime: Duration = .seconds(30)
        /// The number of tasks that one user, including root, may have at a time: some for each program that works.
        package var tasks = 16

        /// The longest ``taskTime`` in seconds: a program that works longer than that is not in the background.
        static let longestTaskTime = 180.0
        /// The range of ``tasks``, each of which has a connection.
        static let taskRange = 0...1_000_000

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            try section.seconds("taskTime", atMost: Self.longestTaskTime, into: &taskTime)
            try section.integer("tasks", in: Self.taskRange, into: &tasks)
        }

        var json: JSON { ["taskTime": Configuration.seconds(taskTime), "tasks": .integer(Int64(tasks))] }
    }
}
