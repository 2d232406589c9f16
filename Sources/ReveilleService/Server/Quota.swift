// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleWire
import Varlink

/// What one user may have at a time, so that there is enough for the others.
enum Quota: String {
    case connections, names, value, entries, tasks

    private func limit(in configuration: Configuration) -> Int {
        switch self {
        case .connections: configuration.bus.connectionsPerUser
        case .names: configuration.publish.names
        case .value: configuration.publish.valueSize
        case .entries: configuration.schedule.entries
        case .tasks: configuration.lifecycle.tasks
        }
    }

    /// Checks whether a user may have a number of them.
    ///
    /// - Throws: `QuotaExceeded` if it is too large.
    func check(_ count: Int, in configuration: Configuration) throws(CallError) {
        let limit = limit(in: configuration)
        guard count <= limit else { throw .quotaExceeded(rawValue, limit: limit) }
    }
}
