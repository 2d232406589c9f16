// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Logging
package import ReveilleSystem
package import ReveilleWatchers

extension Broker {
    /// Goes on with other sources and other limits; subscriptions, positions and posted states stay.
    ///
    /// Limits count for connections that come from here on; the history has its length for the life of the bus.
    package func reconfigure(_ limits: Configuration.Bus, watchers: [any Watcher]) throws(SystemError) {
        let history = self.limits.history
        if limits.history != history {
            logger.notice("bus.history stays \(history) until the bus is started again")
        }
        self.limits = limits
        self.limits.history = history
        try self.watchers.replaceWatchers(watchers)
    }
}
