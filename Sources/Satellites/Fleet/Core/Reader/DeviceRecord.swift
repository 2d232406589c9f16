// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

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

    let device: DeviceID
    var states: [String: State] = [:]
    /// The last status, and the time at which the broker received it, in seconds of the reader's clock, if known.
    var status: (message: StatusMessage, time: Int64?)?
    /// The last known details; a will has none.
    var instance: String?
    var listed: [String]?
    var version: String?
    /// The bus that the device uses according to its newest message, and the previous bus.
    var bus: String?
    var previousBus: String?
    /// The connection in which the last status arrived.
    var statusConnection = 0

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

extension DeviceRecord {
    /// The largest difference in seconds between two computations of one time: brokers and clocks round.
    private static let timeTolerance: Int64 = 5

    mutating func take(_ message: StatusMessage, expiry: UInt32?, at now: Int64) -> Ledger.Outcome {
        let before = statusEvent()
        var problem: FleetProblem?
        if let instance = message.instance {
            let instances = [instance, bus ?? ""].sorted()
            if use(instance) { problem = .sharedIdentity(device, instances: instances) }
            self.instance = instance
        }
        if let version = message.version { self.version = version }
        if !message.aspects.isEmpty { listed = message.aspects }
        let age = expiry.flatMap { $0 <= StatusMessage.lease ? Int64(StatusMessage.lease - $0) : nil }
        let earlier = status?.time
        let time = age.map { now - $0 }
        status = (message, time)
        // A device that was awake in between was seen later. An online device is seen all the time.
        let isLater = !message.isOnline && time.map { $0 > (earlier ?? .min) + Self.timeTolerance } ?? false
        guard isLater || statusEvent() != before else { return Ledger.Outcome(problem: problem) }
        return Ledger.Outcome(statusEvent(age: age).map { .status($0) }, problem: problem)
    }

    func statusEvent(age: Int64? = nil) -> DeviceStatus? {
        (status?.message).map { status in
            DeviceStatus(
                device: device, isOnline: status.isOnline, reason: status.reason, instance: instance,
                aspects: listed ?? [], version: version, wakeEvery: status.wakeEvery.map { .seconds($0) },
                wakesAt: status.wakesAt.map { Timestamp(microseconds: $0) },
                age: age.map { .seconds($0) })
        }
    }
}
