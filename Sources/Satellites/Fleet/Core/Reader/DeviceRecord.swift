// SPDX-License-Identifier: Apache-2.0

/// A ledger's record of a device: its status, and the positions of its aspects.
struct DeviceRecord: Sendable {
    struct State: Sendable {
        /// The last seen state; `nil` if no valid state has arrived.
        var seen: FleetPosition?
        /// The last state of the previous bus.
        var previous: FleetPosition?
        /// The connection in which the last message arrived; `nil` after the broker had lost the state and its removal
        /// was reported.
        ///
        /// The position remains: a broker that has lost its memory receives the state again, and the reader then knows
        /// the number of changes.
        var connection: Int? = 0
        /// The last of the older states that arrived after a newer one, and the arrival time of the first such state.
        var older: (generation: Int64, since: Int64)?

        var isAbsent: Bool { connection == nil }
    }

    struct Status: Sendable {
        var isOnline: Bool
        var reason: StatusMessage.Reason?
        /// The seconds between two wakes.
        var wakeEvery: Int64?
        /// The time at which the broker received the status, in seconds of the reader's clock; `nil` if unknown.
        var time: Int64?
    }

    let device: DeviceID
    var states: [String: State] = [:]
    var status: Status?
    /// The time of the last message that was not retained, in seconds of the reader's clock.
    var heard: Int64?
    /// The last known details; a will has none.
    var instance: String?
    var listed: [String]?
    var version: String?
    /// The bus that the device uses according to its newest message, and the previous bus.
    var bus: String?
    var previousBus: String?
    /// The connection in which the last status arrived.
    var statusConnection = 0

    init(_ device: DeviceID) { self.device = device }

    /// Whether the broker had any message of the device at the last request.
    var isPresent: Bool { status != nil || states.values.contains { !$0.isAbsent } }

    /// Notes the bus that a device uses, and returns whether the device is back at the bus before the last.
    mutating func use(_ instance: String) -> Bool {
        guard bus != instance else { return false }
        let isKnown = previousBus == instance
        (previousBus, bus) = (bus, instance)
        return isKnown
    }
}
