// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a ledger keeps of a device: its status, and the positions of its aspects.
struct DeviceRecord: Sendable {
    /// The position of one aspect.
    struct State: Sendable {
        /// The last state that was seen; `nil` if no valid one has arrived.
        var seen: FleetPosition?
        /// The last state of the bus before.
        var previous: FleetPosition?
        /// The connection in which the last message arrived; `nil` if the broker no longer had the state, so that its
        /// removal was reported.
        ///
        /// The position remains: a broker that has lost its memory receives the state again, and the reader then knows
        /// the number of changes.
        var connection: Int? = 0
        /// The older state that arrived last since a newer one did, and the time of the first of them.
        var older: (generation: Int64, since: Int64)?

        var isAbsent: Bool { connection == nil }
    }

    /// The last status.
    struct Status: Sendable {
        var isOnline: Bool
        var reason: StatusMessage.Reason?
        /// The seconds between two wakes.
        var wakeEvery: Int64?
        /// The time at which the broker received it, in seconds of the reader's clock; `nil` if it is unknown.
        var time: Int64?
    }

    let device: DeviceID
    var states: [String: State] = [:]
    var status: Status?
    /// The time of the last message that was not a retained one, in seconds of the reader's clock.
    var heard: Int64?
    /// What the last status that had it says; a will has no details.
    var instance: String?
    var listed: [String]?
    var version: String?
    /// The bus that the device uses according to its newest message, and the one before.
    var bus: String?
    var previousBus: String?
    /// The connection in which the last status arrived.
    var statusConnection = 0

    init(_ device: DeviceID) { self.device = device }

    /// Whether the broker had anything of the device when it was last asked.
    var isPresent: Bool { status != nil || states.values.contains { !$0.isAbsent } }

    /// Notes the bus that a device uses, and returns whether it is the one before the last.
    mutating func use(_ instance: String) -> Bool {
        guard bus != instance else { return false }
        let isKnown = previousBus == instance
        (previousBus, bus) = (bus, instance)
        return isKnown
    }
}
