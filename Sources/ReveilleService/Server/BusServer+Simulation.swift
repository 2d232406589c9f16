// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

// Information for simulations and tests.

extension BusServer {
    /// The number of event sources of the schedule, whose entries outlast the connections of their owners.
    package var scheduleSourceCount: Int { parts.schedule.timers.sourceCount }

    /// The cgroups that are recorded as frozen, or as about to be.
    package var recordedCgroups: [String] { parts.suspensions.frozen.cgroups }

    /// Holds or wakes the subscriber on a stream, whose process a simulation freezes or thaws.
    package func setFrozen(_ isFrozen: Bool, stream number: Int32) {
        guard let connection = subscribers.connections.first(where: { $0.stream.number == number }) else { return }
        parts.suspensions.setFrozen(isFrozen, connection)
    }
}
